#include "node/request_queue.hpp"

#include <sched.h>

#include <random>
#include <utility>

#include "support.hpp"
#include "transport/endpoint.hpp"

namespace tutti::node::test {
namespace {

using base::Code;

constexpr uint8_t k_bcast = 1, k_reduce = 2;

class Queue : public ::testing::Test {
 protected:
  Queue() : arena_(make_arena(3)) {
    const auto ranks = ranks_up_to(3);
    for (uint32_t i = 0; i < 3; ++i) {
      regions_.push_back(Region::acquire(*arena_, {.communicator = 1, .members = ranks},
                                         {.index = i, .process = i}, {.counter_start = k_wraps_soon}));
    }
  }
  base::Result<Arrival> arrive(uint32_t member, uint8_t collective, uint32_t operation,
                               std::optional<uint32_t> leader = std::nullopt) {
    return RequestQueue(regions_[member]).arrive(collective, k_wraps_soon + operation, leader);
  }

  std::unique_ptr<Arena> arena_;
  std::vector<Region> regions_;
};

TEST_F(Queue, TheFirstToArriveLeads) {
  for (uint32_t operation = 0; operation < 300; ++operation) {  // entries come back, the sequence wraps
    const uint32_t first = operation % 3;
    for (uint32_t i = 0; i < 3; ++i) {
      const auto arrival = arrive((first + i) % 3, k_bcast, operation);
      ASSERT_TRUE(arrival.is_ok()) << arrival.status().message();
      EXPECT_EQ(arrival->leader, first);
      EXPECT_EQ(arrival->is_leader, i == 0);
    }
  }
}

TEST_F(Queue, TheRootLeadsItsNodeWhoeverComesFirst) {
  EXPECT_FALSE(arrive(0, k_bcast, 0, 2)->is_leader);
  EXPECT_EQ(arrive(1, k_bcast, 0, 2)->leader, 2u);
  EXPECT_TRUE(arrive(2, k_bcast, 0, 2)->is_leader);
}

TEST_F(Queue, AFastMemberIsToldToTryAgainWhenTheSlowestIsTooFarBehind) {
  for (uint32_t operation = 0; operation < RequestQueue::k_depth; ++operation) {
    EXPECT_TRUE(arrive(0, k_bcast, operation)->is_leader);
    EXPECT_TRUE(arrive(1, k_bcast, operation).is_ok());
  }
  EXPECT_TRUE(transport::is_try_again(arrive(0, k_bcast, RequestQueue::k_depth).status()));
  EXPECT_EQ(arrive(2, k_bcast, 0)->leader, 0u);
  EXPECT_TRUE(arrive(0, k_bcast, RequestQueue::k_depth)->is_leader);
  EXPECT_TRUE(transport::is_try_again(arrive(0, k_bcast, RequestQueue::k_depth + 1).status()));
}

TEST_F(Queue, ErroneousProgramsAreTold) {
  ASSERT_TRUE(arrive(0, k_bcast, 0).is_ok());
  EXPECT_EQ(arrive(1, k_reduce, 0).status().code(), Code::invalid_argument);
  EXPECT_EQ(arrive(1, k_bcast, 0, 1).status().code(), Code::invalid_argument);
  EXPECT_EQ(arrive(1, k_bcast, 0, 3).status().code(), Code::invalid_argument);
  EXPECT_EQ(arrive(1, k_bcast, RequestQueue::k_depth * 5).status().code(), Code::internal);
  EXPECT_TRUE(arrive(1, k_bcast, 0).is_ok());
  EXPECT_TRUE(arrive(2, k_bcast, 0).is_ok());
  EXPECT_EQ(arrive(2, k_bcast, 0).status().code(), Code::internal);
}

class Competition : public ::testing::TestWithParam<RankKind> {};

TEST_P(Competition, HasOneWinnerThatAllAgreeOn) {
  constexpr uint32_t k_ranks = 4, k_operations = 2000;
  constexpr RegionShape k_shape{.memory_bytes = 2 * 4 * k_operations * 4, .counter_start = k_wraps_soon};
  // Each rank writes down which rank it took for the leader; all read the others' notes when all have finished.
  run_ranks(GetParam(), k_ranks, [&](const Arena& arena, uint32_t me) {
    LocalRank rank(arena, me, k_ranks, k_shape);
    RequestQueue queue(rank.region());
    std::mt19937 random(me);
    auto* notes = reinterpret_cast<uint32_t*>(rank.region().base() + rank.region().layout().memory(0));
    for (uint32_t operation = 0; operation < k_operations; ++operation) {
      if (random() % 50 == 0) usleep(random() % 100);
      base::Result<Arrival> arrival = transport::try_again();
      while (transport::is_try_again((arrival = queue.arrive(k_bcast, k_wraps_soon + operation)).status())) {
        sched_yield();
      }
      ASSERT_TRUE(arrival.is_ok()) << arrival.status().message();
      ASSERT_EQ(arrival->is_leader, arrival->leader == me);
      notes[me * k_operations + operation] = arrival->leader;
    }
    // A barrier of flags; messages order the notes before it.
    for (uint32_t peer = 0; peer < k_ranks; ++peer) {
      if (peer == me) continue;
      ASSERT_TRUE(rank.endpoint().send(transport::Peer::local(static_cast<Rank>(peer)), 0, {}, 1).is_ok());
      ASSERT_TRUE(rank.endpoint().recv(transport::Peer::local(static_cast<Rank>(peer)), 0, {}, 2).is_ok());
    }
    for (uint32_t i = 0; i < 2 * (k_ranks - 1); ++i) ASSERT_EQ(rank.wait().code, base::Code::ok);
    for (uint32_t operation = 0; operation < k_operations; ++operation) {
      const uint32_t leader = notes[operation];
      ASSERT_LT(leader, k_ranks);
      for (uint32_t r = 0; r < k_ranks; ++r)
        ASSERT_EQ(notes[r * k_operations + operation], leader) << operation;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Node, Competition, ::testing::Values(RankKind::thread, RankKind::process),
                         [](const auto& tested) {
                           return tested.param == RankKind::thread ? "Threads" : "Processes";
                         });

}  // namespace
}  // namespace tutti::node::test
