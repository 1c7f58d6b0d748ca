// The contract of engine::Engine, for every engine: one rank over an endpoint that the test controls.

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "tests/engine/contract.hpp"
#include "tests/support/operators.hpp"

namespace tutti::test {
namespace {

TYPED_TEST_SUITE(EngineContract, Engines);

TYPED_TEST(EngineContract, AnEmptyScheduleIsDoneAtOnce) {
  ScheduleBuilder builder;
  const auto plan = plan_of(builder);
  Operation* const operation = this->start(*plan, {});
  EXPECT_TRUE(operation->is_done());
  EXPECT_TRUE(operation->status());
  this->engine_->release(operation);
}

TYPED_TEST(EngineContract, CopiesFollowTheirDependencies) {
  ScheduleBuilder builder;
  const BufRef middle = builder.scratch(64);
  const TaskId first = builder.copy(input(0, 64), middle);
  builder.copy(middle, output(64, 64), builder.join({builder.join({first}), first}));
  const auto plan = plan_of(builder);
  EXPECT_TRUE(this->engine_->run(*plan, {.input = this->in_.data(), .output = this->out_.data()}));
  EXPECT_TRUE(std::equal(this->in_.begin(), this->in_.begin() + 64, this->out_.begin() + 64));
}

TYPED_TEST(EngineContract, ReductionsKeepTheOperandsInOrder) {
  const AffineMap left{3, 5}, right{7, 11};
  for (const OperandOrder order : {OperandOrder::source_first, OperandOrder::target_first}) {
    ScheduleBuilder builder;
    builder.reduce(input(0, 8), output(0, 8), {}, order);
    const auto plan = plan_of(builder);
    std::memcpy(this->in_.data(), &left, 8);
    std::memcpy(this->out_.data(), &right, 8);
    const ElementReducer<AffineMap> reducer;
    EXPECT_TRUE(this->engine_->run(
        *plan, {.input = this->in_.data(), .output = this->out_.data(), .reducer = &reducer}));
    const AffineMap expected = order == OperandOrder::source_first ? AffineMap::combine(left, right)
                                                                   : AffineMap::combine(right, left);
    EXPECT_EQ(std::memcmp(this->out_.data(), &expected, 8), 0);
  }
}

TYPED_TEST(EngineContract, ATransferCarriesItsBytesAndTag) {
  ScheduleBuilder builder;
  builder.send(Peer::rank(4), input(16, 32));
  const auto plan = plan_of(builder);
  Operation* const operation = this->start(*plan, {.input = this->in_.data(), .tag = 42});
  ASSERT_EQ(this->network_.log(), "s4");
  EXPECT_EQ(this->network_.calls[0].data, this->in_.data() + 16);
  EXPECT_EQ(this->network_.calls[0].bytes, 32u);
  EXPECT_EQ(this->network_.calls[0].tag, 42u);
  this->progress();
  EXPECT_FALSE(operation->is_done());
  this->network_.end(0);
  this->progress();
  EXPECT_TRUE(operation->is_done());
  this->engine_->release(operation);
}

TYPED_TEST(EngineContract, AChannelStartsInTaskOrderThoughALaterTaskIsReadyFirst) {
  ScheduleBuilder builder;
  const TaskId arrived = builder.recv(Peer::rank(1), output(0, 8));
  builder.send(Peer::rank(2), output(0, 8), arrived);
  builder.send(Peer::rank(2), input(0, 16));  // ready at once, but the second of its channel
  builder.send(Peer::rank(3), input(0, 8));   // another channel
  const auto plan = plan_of(builder);
  Operation* const operation = this->start(*plan, {.input = this->in_.data(), .output = this->out_.data()});
  this->progress();
  EXPECT_EQ(this->network_.log(), "r1 s3");
  this->network_.end(0);
  this->progress();
  EXPECT_EQ(this->network_.log(), "r1 s3 s2 s2");
  EXPECT_EQ(this->network_.calls[2].bytes, 8u);
  for (size_t call : {1, 2, 3}) this->network_.end(call);
  EXPECT_TRUE(this->engine_->wait(operation));
}

TYPED_TEST(EngineContract, TheWindowBoundsEachChannel) {
  for (const uint32_t window : {1u, 2u, 5u}) {
    this->network_.calls.clear();
    ScheduleBuilder builder;
    for (uint64_t i = 0; i < 6; ++i) {
      builder.send(Peer::rank(1), input(i * 8, 8));
      builder.recv(Peer::rank(1), output(i * 8, 8));
    }
    const auto plan = plan_of(builder, {.window = window});
    Operation* const operation = this->start(*plan, {.input = this->in_.data(), .output = this->out_.data()});
    for (size_t ended = 0; ended < 12; ++ended) {
      this->progress();
      EXPECT_LE(this->network_.in_flight(), 2 * window);
      const auto sends = std::ranges::count_if(this->network_.calls, [](const ScriptedEndpoint::Call& call) {
        return call.is_send && !call.has_ended;
      });
      EXPECT_LE(static_cast<uint32_t>(sends), window);
      ASSERT_GT(this->network_.calls.size(), ended);
      this->network_.end(ended);
    }
    EXPECT_TRUE(this->engine_->wait(operation));
  }
}

TYPED_TEST(EngineContract, MoreUrgentChannelsStartFirst) {
  ScheduleBuilder builder;
  builder.set_priority(5);
  builder.send(Peer::rank(1), input(0, 8));
  builder.set_priority(1);
  builder.send(Peer::rank(2), input(0, 8));
  builder.set_priority(0);
  builder.send(Peer::rank(3), input(0, 8));
  const auto plan = plan_of(builder);
  Operation* const operation = this->start(*plan, {.input = this->in_.data()});
  EXPECT_EQ(this->network_.log(), "s3 s2 s1");
  for (size_t call : {0, 1, 2}) this->network_.end(call);
  EXPECT_TRUE(this->engine_->wait(operation));
}

TYPED_TEST(EngineContract, LocalTasksRunByPriorityThenInTaskOrder) {
  // Every copy overwrites the same byte's neighbours in turn; the log is the order in which bytes were
  // written.
  class Log final : public engine::Reducer {
   public:
    void apply(const std::byte* source, std::byte*, uint64_t) const override {
      order.push_back(std::to_integer<int>(*source));
    }
    bool is_commutative() const override { return true; }
    mutable std::vector<int> order;
  };
  std::iota(reinterpret_cast<unsigned char*>(this->in_.data()),
            reinterpret_cast<unsigned char*>(this->in_.data()) + 6, 0);
  ScheduleBuilder builder;
  for (uint64_t i = 0; i < 6; ++i) {
    builder.set_priority(i < 3 ? 1 : 0);
    builder.reduce(input(i, 1), output(i, 1));
  }
  const auto plan = plan_of(builder);
  const Log reducer;
  EXPECT_TRUE(this->engine_->run(
      *plan, {.input = this->in_.data(), .output = this->out_.data(), .reducer = &reducer}));
  EXPECT_EQ(reducer.order, (std::vector<int>{3, 4, 5, 0, 1, 2}));
}

TYPED_TEST(EngineContract, TheNetworkIsPolledBetweenLocalTasks) {
  class CountPolls final : public engine::Reducer {
   public:
    explicit CountPolls(const ScriptedEndpoint& endpoint) : endpoint_(endpoint) {}
    void apply(const std::byte*, std::byte*, uint64_t) const override {
      seen.push_back(endpoint_.poll_count);
    }
    bool is_commutative() const override { return true; }
    mutable std::vector<size_t> seen;

   private:
    const ScriptedEndpoint& endpoint_;
  };
  ScheduleBuilder builder;
  for (uint64_t i = 0; i < 4; ++i) builder.reduce(input(i, 1), output(i, 1));
  const auto plan = plan_of(builder);
  const CountPolls reducer(this->network_);
  EXPECT_TRUE(this->engine_->run(
      *plan, {.input = this->in_.data(), .output = this->out_.data(), .reducer = &reducer}));
  ASSERT_EQ(reducer.seen.size(), 4u);
  for (size_t i = 1; i < 4; ++i) EXPECT_GT(reducer.seen[i], reducer.seen[i - 1]);
}

TYPED_TEST(EngineContract, TheNetworkIsPolledWhenNothingIsInFlight) {
  const size_t before = this->network_.poll_count;
  this->progress(3);
  EXPECT_GE(this->network_.poll_count, before + 3);
}

TYPED_TEST(EngineContract, AnOperationUsesOneNetworkOfTheList) {
  ScheduleBuilder builder;
  builder.send(Peer::rank(1), input(0, 8));
  builder.send(Peer::local(2), input(0, 8));
  const auto plan = plan_of(builder);
  ScriptedEndpoint local, second;
  const auto engine = TypeParam::make({.networks = {&this->network_, &second}, .local = &local});
  Operation* const aside = this->start(*engine, *plan, {.input = this->in_.data(), .network = 1});
  EXPECT_EQ(this->network_.log() + local.log(), "");
  EXPECT_EQ(second.log(), "s1 s2");
  engine->progress();
  EXPECT_EQ(this->network_.poll_count, 0u);
  Operation* const usual = this->start(*engine, *plan, {.input = this->in_.data()});
  EXPECT_EQ(this->network_.log(), "s1");
  EXPECT_EQ(local.log(), "s2");
  EXPECT_EQ(second.log(), "s1 s2");
  engine->progress();
  EXPECT_GT(this->network_.poll_count, 0u);
  for (ScriptedEndpoint* endpoint : {&this->network_, &local, &second})
    for (size_t call = 0; call < endpoint->calls.size(); ++call) endpoint->end(call);
  EXPECT_TRUE(engine->wait(aside));
  EXPECT_TRUE(engine->wait(usual));
  for (const ScriptedEndpoint* endpoint : {&this->network_, &local, &second}) {
    const size_t polls = endpoint->poll_count;
    engine->progress();
    EXPECT_GT(endpoint->poll_count, polls) << "an engine without operations polls all of them";
  }
}

TYPED_TEST(EngineContract, BackPressureHoldsUpOnlyItsOwnChannel) {
  int refusals = 3;
  this->network_.answer = [&](const ScriptedEndpoint::Call& call) {
    return call.peer.index == 1 && refusals-- > 0 ? transport::try_again() : Status{};
  };
  ScheduleBuilder builder;
  builder.send(Peer::rank(1), input(0, 8));
  builder.send(Peer::rank(1), input(8, 16));
  builder.send(Peer::rank(2), input(0, 8));
  const auto plan = plan_of(builder);
  Operation* const operation = this->start(*plan, {.input = this->in_.data()});
  EXPECT_EQ(this->network_.log(), "s2");
  this->progress();
  EXPECT_EQ(this->network_.log(), "s2 s1 s1");
  EXPECT_EQ(this->network_.calls[1].bytes, 8u);
  for (size_t call : {0, 1, 2}) this->network_.end(call);
  EXPECT_TRUE(this->engine_->wait(operation));
}

TYPED_TEST(EngineContract, AnOperationAwaitsAnEventWhereNothingElseMovesItOn) {
  ScheduleBuilder sends, uses_node;
  sends.send(Peer::rank(1), input(0, 8));
  uses_node.send(Peer::rank(1), input(0, 8));
  uses_node.copy(input(0, 8), uses_node.node(8));
  const auto plan = plan_of(sends), plan_with_node = plan_of(uses_node);
  bool has_room = true;
  this->network_.answer = [&](const ScriptedEndpoint::Call&) {
    return has_room ? Status{} : transport::try_again();
  };
  const auto awaits_event = [&](const std::shared_ptr<const Plan>& of) {
    Operation* const operation = this->start(*of, {.input = this->in_.data()});
    this->progress();
    const bool result = operation->awaits_event();
    has_room = true;
    this->progress();
    this->network_.end(this->network_.calls.size() - 1);
    EXPECT_TRUE(this->engine_->wait(operation));
    return result;
  };
  EXPECT_FALSE(awaits_event(plan)) << "the network has none";
  this->network_.has_events = true;
  EXPECT_TRUE(awaits_event(plan));
  EXPECT_FALSE(awaits_event(plan_with_node)) << "the node's memory has none";
  has_room = false;
  EXPECT_FALSE(awaits_event(plan)) << "back-pressure has none";
}

TYPED_TEST(EngineContract, NodeMemoryIsWrittenOnlyWhenItMayBe) {
  this->node_.is_writable = false;
  ScheduleBuilder builder;
  const BufRef shared = builder.node(64);
  builder.copy(input(0, 64), shared);
  builder.copy(input(0, 8), output(0, 8));
  const auto plan = plan_of(builder);
  const std::byte first = this->node_.memory()[3];
  Operation* const operation = this->start(*plan, {.input = this->in_.data(), .output = this->out_.data()});
  this->progress();
  EXPECT_FALSE(operation->is_done());
  EXPECT_EQ(this->node_.memory()[3], first);
  EXPECT_EQ(this->out_[3], this->in_[3]) << "other tasks go on meanwhile";
  EXPECT_EQ(this->node_.ended_count, 0u);
  this->node_.is_writable = true;
  EXPECT_TRUE(this->engine_->wait(operation));
  EXPECT_EQ(this->node_.memory()[3], this->in_[3]);
  EXPECT_EQ(this->node_.ended_count, 1u);
}

TYPED_TEST(EngineContract, AReceiveIntoNodeMemoryWaitsToo) {
  this->node_.is_writable = false;
  ScheduleBuilder builder;
  builder.recv(Peer::rank(1), builder.node(64));
  const auto plan = plan_of(builder);
  Operation* const operation = this->start(*plan, {});
  this->progress();
  EXPECT_EQ(this->network_.log(), "");
  this->node_.is_writable = true;
  this->progress();
  EXPECT_EQ(this->network_.log(), "r1");
  this->network_.end(0);
  EXPECT_TRUE(this->engine_->wait(operation));
}

TYPED_TEST(EngineContract, ReadersOfNodeMemoryNeedNoPermission) {
  this->node_.is_writable = false;
  ScheduleBuilder builder;
  builder.copy(builder.node(64), output(0, 64), builder.await(Peer::rank(1)));
  const auto plan = plan_of(builder);
  Operation* const operation = this->start(*plan, {.output = this->out_.data()});
  this->network_.end(0);
  EXPECT_TRUE(this->engine_->wait(operation));
  EXPECT_EQ(this->node_.asked_count, 0u);
  EXPECT_EQ(this->node_.ended_count, 1u);
}

TYPED_TEST(EngineContract, OperationsOnNodeMemoryRunOneAfterTheOther) {
  ScheduleBuilder builder;
  builder.recv(Peer::rank(1), builder.node(64));
  const auto with_node = plan_of(builder);
  ScheduleBuilder plain;
  plain.recv(Peer::rank(2), output(0, 8));
  const auto without_node = plan_of(plain);

  Operation* const first = this->start(*with_node, {.tag = 1});
  Operation* const second = this->start(*with_node, {.tag = 2});
  Operation* const third = this->start(*without_node, {.output = this->out_.data(), .tag = 3});
  this->progress();
  EXPECT_EQ(this->network_.log(), "r1 r2") << "the second waits for the first, the third for nobody";
  this->network_.end(0);
  this->progress();
  EXPECT_TRUE(first->is_done());
  EXPECT_EQ(this->network_.log(), "r1 r2 r1");
  EXPECT_EQ(this->network_.calls[2].tag, 2u);
  this->network_.end(1);
  this->network_.end(2);
  for (Operation* operation : {third, first, second}) EXPECT_TRUE(this->engine_->wait(operation));
  EXPECT_EQ(this->node_.ended_count, 2u);
}

TYPED_TEST(EngineContract, TheNetworkHasToBeThere) {
  ScheduleBuilder builder;
  builder.send(Peer::rank(1), input(0, 8));
  const auto plan = plan_of(builder);
  for (const uint8_t network : {1, 4, 255}) {
    const auto operation = this->engine_->start(*plan, {.input = this->in_.data(), .network = network});
    EXPECT_EQ(operation.status().code(), Code::invalid_argument);
  }
}

TYPED_TEST(EngineContract, StartRefusesWhatItCannotServe) {
  const auto refused = [&](ScheduleBuilder& builder, const Bindings& bindings) {
    const auto plan = plan_of(builder);
    auto operation = this->engine_->start(*plan, bindings);
    EXPECT_FALSE(operation);
    EXPECT_FALSE(operation.status().message().empty());
    return operation.status().code();
  };
  const Bindings all{.input = this->in_.data(), .output = this->out_.data()};
  ScheduleBuilder reduces, reads, writes, nodes, large;
  reduces.reduce(input(0, 8), output(0, 8));
  EXPECT_EQ(refused(reduces, all), Code::invalid_argument);
  reads.send(Peer::rank(1), input(0, 8));
  EXPECT_EQ(refused(reads, {.output = this->out_.data()}), Code::invalid_argument);
  writes.recv(Peer::rank(1), output(0, 8));
  EXPECT_EQ(refused(writes, {.input = this->in_.data()}), Code::invalid_argument);
  nodes.notify(Peer::node(1));
  EXPECT_EQ(refused(nodes, all), Code::invalid_argument);
  large.copy(input(0, 8), large.node(1 << 20).part(0, 8));
  EXPECT_EQ(refused(large, all), Code::not_supported);
  EXPECT_EQ(this->network_.log(), "");
}

}  // namespace
}  // namespace tutti::test
