// The contract of engine::Engine, for every engine: input and output whose addresses come late.

#include <algorithm>
#include <cstring>

#include "tests/engine/contract.hpp"

namespace tutti::test {
namespace {

template <class Maker>
class LateSlotsOfEngines : public EngineContract<Maker> {};
TYPED_TEST_SUITE(LateSlotsOfEngines, Engines);

TYPED_TEST(LateSlotsOfEngines, TasksOnALateSlotWaitForItAndAllOthersGoOn) {
  ScheduleBuilder builder;
  const BufRef through_scratch = builder.scratch(64), through_node = builder.node(64);
  const TaskId arrived = builder.recv(Peer::rank(1), through_scratch);
  builder.send(Peer::rank(2), through_scratch, arrived);
  builder.copy(through_scratch, output(0, 64), arrived);
  builder.send(Peer::rank(3), through_node, builder.recv(Peer::rank(4), through_node));
  builder.send(Peer::rank(5), input(0, 64));
  builder.notify(Peer::rank(6));
  builder.recv(Peer::rank(7), output(64, 64));
  builder.reduce(input(0, 64), output(128, 64));
  const auto plan = plan_of(builder);
  class Copy final : public engine::Reducer {
   public:
    void apply(const std::byte* source, std::byte* target, uint64_t bytes) const override {
      std::memcpy(target, source, bytes);
    }
    bool is_commutative() const override { return true; }
  } const reducer;
  const std::vector<std::byte> before = this->out_;
  Operation* const operation =
      this->start(*plan, {.reducer = &reducer, .is_input_late = true, .is_output_late = true});
  this->progress();
  EXPECT_EQ(this->network_.log(), "r1 r4 s6");
  const std::vector<std::byte> message = numbered(64, 40);
  std::memcpy(const_cast<std::byte*>(this->network_.calls[0].data), message.data(), 64);
  for (const size_t call : {0, 1, 2}) this->network_.end(call);
  this->progress();
  EXPECT_EQ(this->network_.log(), "r1 r4 s6 s2 s3") << "what needs no late slot goes on";

  operation->bind_output(this->out_.data());
  EXPECT_EQ(this->network_.log(), "r1 r4 s6 s2 s3 r7") << "transfers start at once";
  EXPECT_EQ(this->network_.calls[5].data, this->out_.data() + 64);
  this->progress();
  EXPECT_TRUE(std::equal(message.begin(), message.end(), this->out_.begin()));
  EXPECT_EQ(this->out_[128], before[128]) << "the reduction reads the input as well";

  operation->bind_input(this->in_.data());
  EXPECT_EQ(this->network_.log(), "r1 r4 s6 s2 s3 r7 s5");
  EXPECT_EQ(this->network_.calls[6].data, this->in_.data());
  for (const size_t call : {3, 4, 5, 6}) this->network_.end(call);
  EXPECT_TRUE(this->engine_->wait(operation));
  EXPECT_TRUE(std::equal(this->in_.begin(), this->in_.begin() + 64, this->out_.begin() + 128));
}

TYPED_TEST(LateSlotsOfEngines, ALateMessageKeepsItsPlaceInTheChannel) {
  ScheduleBuilder builder;
  const BufRef own = builder.scratch(8);
  builder.send(Peer::rank(1), own);
  builder.send(Peer::rank(1), input(0, 16));
  builder.send(Peer::rank(1), own);
  builder.send(Peer::rank(2), own);
  const auto plan = plan_of(builder, {.window = 5});
  Operation* const operation = this->start(*plan, {.is_input_late = true});
  this->progress();
  EXPECT_EQ(this->network_.log(), "s1 s2");
  operation->bind_input(this->in_.data());
  EXPECT_EQ(this->network_.log(), "s1 s2 s1 s1");
  EXPECT_EQ(this->network_.calls[2].bytes, 16u);
  for (const size_t call : {0, 1, 2, 3}) this->network_.end(call);
  EXPECT_TRUE(this->engine_->wait(operation));
}

TYPED_TEST(LateSlotsOfEngines, ASlotMayBeBoundBeforeItsOperationIsLaunched) {
  ScheduleBuilder builder;
  builder.copy(output(0, 64), builder.node(64), builder.await(Peer::rank(1)));
  const auto plan = plan_of(builder);
  Operation* const first = this->start(*plan, {.is_output_late = true});
  Operation* const second = this->start(*plan, {.is_output_late = true});
  second->bind_output(this->out_.data());
  this->progress();
  EXPECT_EQ(this->network_.log(), "r1") << "the first holds the node's memory";
  this->network_.end(0);
  this->progress();
  EXPECT_FALSE(first->is_done());
  first->bind_output(this->in_.data());
  this->progress();
  EXPECT_TRUE(first->is_done());
  EXPECT_EQ(this->node_.memory()[5], this->in_[5]);
  this->network_.end(1);
  for (Operation* operation : {first, second}) EXPECT_TRUE(this->engine_->wait(operation));
  EXPECT_EQ(this->node_.memory()[5], this->out_[5]);
}

TYPED_TEST(LateSlotsOfEngines, ALateSlotThatNoTaskTouchesNeedsNoAddress) {
  ScheduleBuilder builder;
  builder.notify(Peer::rank(1));
  const auto plan = plan_of(builder);
  Operation* const operation = this->start(*plan, {.is_input_late = true, .is_output_late = true});
  EXPECT_EQ(this->network_.log(), "s1");
  this->network_.end(0);
  EXPECT_TRUE(this->engine_->wait(operation));
}

TYPED_TEST(LateSlotsOfEngines, AnOperationFailsWithoutItsLateSlots) {
  ScheduleBuilder builder;
  builder.recv(Peer::rank(1), output(0, 8));
  builder.recv(Peer::rank(2), builder.scratch(8));
  const auto plan = plan_of(builder);
  Operation* const operation = this->start(*plan, {.is_output_late = true});
  this->network_.end(0, Code::mpi, 3);
  this->progress();
  EXPECT_TRUE(operation->is_done());
  operation->bind_output(this->out_.data());  // comes too late, and harms nothing
  this->progress();
  EXPECT_EQ(this->network_.log(), "r2");
  EXPECT_EQ(this->engine_->wait(operation).native(), 3);
}

TYPED_TEST(LateSlotsOfEngines, AnOperationThatOnlyLacksAnAddressAwaitsAnEvent) {
  this->network_.has_events = true;
  ScheduleBuilder builder;
  builder.copy(input(0, 8), output(0, 8));
  const auto plan = plan_of(builder);
  Operation* const operation = this->start(*plan, {.output = this->out_.data(), .is_input_late = true});
  this->progress();
  EXPECT_TRUE(operation->awaits_event()) << "polling brings no address";
  operation->bind_input(this->in_.data());
  EXPECT_FALSE(operation->awaits_event()) << "the copy can run";
  EXPECT_TRUE(this->engine_->wait(operation));
}

}  // namespace
}  // namespace tutti::test
