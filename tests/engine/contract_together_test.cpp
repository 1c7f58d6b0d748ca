// The contract of engine::Engine, for every engine: ranks over a real transport.

#include <algorithm>
#include <array>

#include "tests/engine/contract.hpp"
#include "tests/support/transport/loopback.hpp"

namespace tutti::test {
namespace {

using transport::LoopbackFabric;

/// Ranks over a real transport, driven in turn by one thread.
template <class Maker>
class EnginesTogether : public testing::Test {
 protected:
  static constexpr int k_ranks = 3;

  EnginesTogether() {
    for (int r = 0; r < k_ranks; ++r)
      engines_.push_back(Maker::make({.networks = {&fabric_.endpoint(r)}, .local = &fabric_.endpoint(r)}));
  }

  void finish(std::vector<Operation*> operations) {
    for (int round = 0; round < 100000; ++round) {
      for (const auto& engine : engines_) engine->progress();
      if (std::ranges::all_of(operations, &Operation::is_done)) break;
    }
    for (size_t i = 0; i < operations.size(); ++i) {
      ASSERT_TRUE(operations[i]->is_done());
      EXPECT_TRUE(operations[i]->status()) << operations[i]->status().message();
      engines_[i % k_ranks]->release(operations[i]);
    }
  }

  /// A pipeline 0 -> 1 -> 2 of `bytes` in pieces of 100.
  static std::shared_ptr<const Plan> chain(int me, uint64_t bytes) {
    ScheduleBuilder builder;
    for (uint64_t at = 0; at < bytes; at += 100) {
      const BufRef piece = output(at, std::min<uint64_t>(100, bytes - at));
      const TaskId arrived = me > 0 ? builder.recv(Peer::rank(me - 1), piece) : schedule::k_no_task;
      if (me + 1 < k_ranks) builder.send(Peer::rank(me + 1), piece, arrived);
    }
    return plan_of(builder);
  }

  LoopbackFabric fabric_{k_ranks, {.eager_bytes = 50, .waiting_count = 2}};
  std::vector<std::unique_ptr<Engine>> engines_;
};

TYPED_TEST_SUITE(EnginesTogether, Engines);

TYPED_TEST(EnginesTogether, APlanRunsAgainAndAgain) {
  std::array<std::shared_ptr<const Plan>, 3> plans;
  for (int r = 0; r < 3; ++r) plans[static_cast<size_t>(r)] = this->chain(r, 1234);
  for (unsigned round = 0; round < 100; ++round) {
    std::array<std::vector<std::byte>, 3> data{numbered(1234, round), numbered(1234, 77), numbered(1234, 78)};
    std::vector<Operation*> operations;
    for (size_t r = 0; r < 3; ++r)
      operations.push_back(*this->engines_[r]->start(*plans[r], {.output = data[r].data(), .tag = round}));
    this->finish(operations);
    ASSERT_EQ(data[1], data[0]);
    ASSERT_EQ(data[2], data[0]);
  }
  EXPECT_EQ(this->fabric_.waiting_count(), 0u);
}

TYPED_TEST(EnginesTogether, OperationsInFlightAreToldApartByTheirTags) {
  constexpr size_t k_operations = 5;
  std::vector<std::shared_ptr<const Plan>> plans;
  std::vector<std::vector<std::byte>> data;
  std::vector<Operation*> operations;
  for (size_t o = 0; o < k_operations; ++o)
    for (int r = 0; r < 3; ++r) {
      plans.push_back(this->chain(r, 500 + 100 * o));
      data.push_back(numbered(1000, r == 0 ? static_cast<unsigned>(o) : 100));
    }
  // Each rank starts them in another order.
  operations.resize(plans.size());
  for (size_t i = 0; i < k_operations; ++i)
    for (size_t r = 0; r < 3; ++r) {
      const size_t o = (i * (r + 1) + r) % k_operations, at = o * 3 + r;
      auto started =
          this->engines_[r]->start(*plans[at], {.output = data[at].data(), .tag = static_cast<uint32_t>(o)});
      ASSERT_TRUE(started);
      operations[at] = *started;
    }
  this->finish(operations);
  for (size_t o = 0; o < k_operations; ++o)
    for (size_t r = 1; r < 3; ++r)
      EXPECT_TRUE(std::equal(data[o * 3].begin(), data[o * 3].begin() + static_cast<ptrdiff_t>(500 + 100 * o),
                             data[o * 3 + r].begin()));
}

/// Rank 1 forwards through memory of its own: nothing depends on when its program brings a buffer.
TYPED_TEST(EnginesTogether, ARankForwardsBeforeItsOwnBufferIsKnown) {
  ScheduleBuilder first, middle, last;
  for (uint64_t at = 0; at < 1000; at += 100) {
    const BufRef piece = output(at, 100), through = middle.scratch(100);
    first.send(Peer::rank(1), piece);
    const TaskId arrived = middle.recv(Peer::rank(0), through);
    middle.send(Peer::rank(2), through, arrived);
    middle.copy(through, piece, arrived);
    last.recv(Peer::rank(1), piece);
  }
  const auto from = plan_of(first), over = plan_of(middle), to = plan_of(last);
  std::array<std::vector<std::byte>, 3> data{numbered(1000, 5), numbered(1000, 6), numbered(1000, 7)};
  const std::vector<std::byte> before = data[1];
  Operation* const forwarding = *this->engines_[1]->start(*over, {.tag = 1, .is_output_late = true});
  Operation* const sending = *this->engines_[0]->start(*from, {.output = data[0].data(), .tag = 1});
  Operation* const receiving = *this->engines_[2]->start(*to, {.output = data[2].data(), .tag = 1});
  for (int round = 0; round < 100000 && !receiving->is_done(); ++round)
    for (const auto& engine : this->engines_) engine->progress();
  ASSERT_TRUE(receiving->is_done());
  EXPECT_EQ(data[2], data[0]);
  EXPECT_FALSE(forwarding->is_done());
  EXPECT_EQ(data[1], before);
  forwarding->bind_output(data[1].data());
  this->finish({sending, forwarding, receiving});
  EXPECT_EQ(data[1], data[0]);
}

/// Rank 0 waits for rank 1, which sends nothing, and fails over what it gets from rank 2. No peer tells it of
/// an end: it has to end by itself.
TYPED_TEST(EnginesTogether, AFailedOperationEndsThoughNoMessageMeetsItsReceives) {
  ScheduleBuilder fails, sends_late, sends;
  for (uint64_t at = 0; at < 300; at += 100) fails.recv(Peer::rank(1), output(at, 100));
  fails.send(Peer::rank(77), output(400, 8), fails.recv(Peer::rank(2), output(400, 8)));
  sends.send(Peer::rank(0), output(0, 8));
  // Short messages, which do not wait for their receiver.
  for (uint64_t at = 0; at < 80; at += 40) sends_late.send(Peer::rank(0), output(at, 40));
  const auto failing = plan_of(fails), late = plan_of(sends_late), source = plan_of(sends);
  std::array<std::vector<std::byte>, 3> data{numbered(1000, 1), numbered(1000, 2), numbered(1000, 3)};
  const auto start = [&](size_t rank, const Plan& plan, uint32_t tag) {
    return *this->engines_[rank]->start(plan, {.output = data[rank].data(), .tag = tag});
  };
  Operation* const failed = start(0, *failing, 1);
  Operation* const sent = start(2, *source, 1);
  for (int round = 0; round < 1000; ++round)
    for (const auto& engine : this->engines_) engine->progress();
  EXPECT_TRUE(this->engines_[2]->wait(sent));
  ASSERT_TRUE(failed->is_done());
  EXPECT_EQ(failed->status().code(), Code::invalid_argument) << failed->status().message();
  EXPECT_NE(failed->status().message().find("rank 77"), std::string::npos) << failed->status().message();
  this->engines_[0]->release(failed);
  EXPECT_EQ(this->fabric_.waiting_count(), 0u) << "no receive is left";

  // Late data is not written anywhere, and does not block another operation.
  const std::vector<std::byte> before = data[0];
  EXPECT_TRUE(this->engines_[1]->wait(start(1, *late, 1)));
  for (int round = 0; round < 1000; ++round) this->engines_[0]->progress();
  EXPECT_EQ(data[0], before);
  for (uint32_t tag = 2; tag < 12; ++tag) {
    std::array<std::shared_ptr<const Plan>, 3> plans;
    std::vector<Operation*> operations;
    data[0] = numbered(1000, tag);
    for (size_t r = 0; r < 3; ++r) {
      plans[r] = this->chain(static_cast<int>(r), 500);
      operations.push_back(start(r, *plans[r], tag));
    }
    this->finish(operations);
    EXPECT_TRUE(std::equal(data[0].begin(), data[0].begin() + 500, data[2].begin()));
  }
}

}  // namespace
}  // namespace tutti::test
