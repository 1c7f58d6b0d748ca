#include "collective/leader_queue.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <random>
#include <thread>
#include <vector>

namespace tutti::collective {
namespace {

using base::Code;

constexpr uint8_t k_bcast = 1, k_reduce = 2;

TEST(LeaderQueue, TheFirstToArriveLeads) {
  LeaderQueue queue(3);
  for (uint32_t operation = 0; operation < 300; ++operation) {
    const uint32_t first = operation % 3;
    for (uint32_t i = 0; i < 3; ++i) {
      const auto arrival = queue.arrive((first + i) % 3, k_bcast, operation, std::nullopt);
      ASSERT_TRUE(arrival.is_ok()) << arrival.status().message();
      EXPECT_EQ(arrival->leader, first);
      EXPECT_EQ(arrival->is_leader, i == 0);
    }
  }
}

TEST(LeaderQueue, TheRootLeadsWhoeverComesFirst) {
  LeaderQueue queue(3);
  EXPECT_FALSE(queue.arrive(0, k_bcast, 0, 2)->is_leader);
  EXPECT_EQ(queue.arrive(1, k_bcast, 0, 2)->leader, 2u);
  EXPECT_TRUE(queue.arrive(2, k_bcast, 0, 2)->is_leader);
}

TEST(LeaderQueue, AMemberMayBeManyOperationsAhead) {
  LeaderQueue queue(2);
  for (uint32_t operation = 0; operation < 1000; ++operation)
    EXPECT_TRUE(queue.arrive(0, k_bcast, operation, std::nullopt)->is_leader);
  for (uint32_t operation = 0; operation < 1000; ++operation)
    EXPECT_EQ(queue.arrive(1, k_bcast, operation, std::nullopt)->leader, 0u);
  EXPECT_TRUE(queue.arrive(1, k_bcast, 0, std::nullopt)->is_leader) << "a number may come back";
}

TEST(LeaderQueue, ErroneousProgramsAreTold) {
  LeaderQueue queue(3);
  ASSERT_TRUE(queue.arrive(0, k_bcast, 0, std::nullopt).is_ok());
  EXPECT_EQ(queue.arrive(1, k_reduce, 0, std::nullopt).status().code(), Code::invalid_argument);
  EXPECT_EQ(queue.arrive(1, k_bcast, 0, 1).status().code(), Code::invalid_argument);
  EXPECT_TRUE(queue.arrive(1, k_bcast, 0, std::nullopt).is_ok()) << "a refused call has not arrived";
}

TEST(LeaderQueue, HasOneWinnerOnWhichAllThreadsAgree) {
  constexpr uint32_t k_members = 4, k_operations = 2000;
  LeaderQueue queue(k_members);
  std::array<std::vector<uint32_t>, k_members> leaders;
  std::vector<std::thread> threads;
  for (uint32_t me = 0; me < k_members; ++me)
    threads.emplace_back([&, me] {
      std::mt19937 random(me);
      for (uint32_t operation = 0; operation < k_operations; ++operation) {
        if (random() % 50 == 0) sched_yield();
        const auto arrival = queue.arrive(me, k_bcast, operation, std::nullopt);
        ASSERT_TRUE(arrival.is_ok()) << arrival.status().message();
        ASSERT_EQ(arrival->is_leader, arrival->leader == me);
        leaders[me].push_back(arrival->leader);
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& seen : leaders) EXPECT_EQ(seen, leaders[0]);
}

}  // namespace
}  // namespace tutti::collective
