#include "node/region_memory.hpp"

#include <sched.h>

#include <cstring>
#include <random>

#include "support.hpp"

namespace tutti::node::test {
namespace {

struct Members {
  explicit Members(uint32_t count, const RegionShape& shape = {.counter_start = k_wraps_soon})
      : arena(make_arena(count)) {
    const auto ranks = ranks_up_to(count);
    regions.reserve(count);
    for (uint32_t i = 0; i < count; ++i) {
      regions.push_back(
          Region::acquire(*arena, {.communicator = 1, .members = ranks}, {.index = i, .process = i}, shape));
      memories.emplace_back(regions.back());
    }
  }
  std::unique_ptr<Arena> arena;
  std::vector<Region> regions;
  std::vector<RegionMemory> memories;
};

TEST(RegionMemory, IsTheSameForAllMembersAndAlternatesBetweenHalves) {
  Members node(3, {.memory_bytes = 4096});
  std::byte* before = nullptr;
  for (int operation = 0; operation < 4; ++operation) {
    const std::span<std::byte> memory = node.memories[0].memory();
    EXPECT_EQ(memory.size(), 2048u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data()) % 64, 0u);
    EXPECT_EQ(memory.data(), node.memories[1].memory().data());
    EXPECT_EQ(memory.data(), node.memories[2].memory().data());
    EXPECT_NE(memory.data(), before);
    before = memory.data();
    for (RegionMemory& m : node.memories) m.end_operation();
  }
}

TEST(RegionMemory, AWriterRunsOneOperationAheadOfTheSlowestMember) {
  Members node(3);
  RegionMemory& writer = node.memories[0];
  for (int operation = 0; operation < 40; ++operation) {  // over the wrap-around
    EXPECT_TRUE(writer.may_write());
    writer.end_operation();
    EXPECT_TRUE(writer.may_write()) << "the other half has been free for long";
    writer.end_operation();
    EXPECT_FALSE(writer.may_write()) << "nobody else has ended the operation before the previous one";
    node.memories[1].end_operation();
    EXPECT_FALSE(writer.may_write()) << "one member has not";
    node.memories[2].end_operation();
    EXPECT_TRUE(writer.may_write());
    node.memories[1].end_operation();
    node.memories[2].end_operation();
  }
}

TEST(RegionMemory, ANewObjectGoesOnWhereTheLastOneStopped) {
  Members node(2);
  for (RegionMemory& m : node.memories) m.end_operation();
  RegionMemory again(node.regions[0]);
  EXPECT_EQ(again.memory().data(), node.memories[1].memory().data());
}

class SharedMemory : public ::testing::TestWithParam<RankKind> {};

// Broadcasts from changing roots: the root writes as soon as it may and notifies, the others copy and check.
TEST_P(SharedMemory, NobodySeesAnOperationThatIsNotItsOwn) {
  constexpr uint32_t k_ranks = 3, k_operations = 600;
  run_ranks(GetParam(), k_ranks, [](const Arena& arena, uint32_t me) {
    LocalRank rank(arena, me, k_ranks, {.memory_bytes = 8192, .counter_start = k_wraps_soon});
    RegionMemory memory(rank.region());
    std::mt19937 random(me);
    for (uint32_t operation = 0; operation < k_operations; ++operation) {
      const uint32_t root = operation / 7 % k_ranks;
      const std::span<std::byte> shared = memory.memory();
      const auto expected = pattern(shared.size(), operation);
      if (me == root) {
        while (!memory.may_write()) sched_yield();
        std::memcpy(shared.data(), expected.data(), expected.size());
        for (uint32_t to = 0; to < k_ranks; ++to) {
          if (to == me) continue;
          base::Status sent = transport::try_again();
          while (transport::is_try_again(sent)) {
            sent = rank.endpoint().send(transport::Peer::local(static_cast<Rank>(to)), operation, {}, 1);
          }
          ASSERT_TRUE(sent.is_ok()) << sent.message();
          ASSERT_EQ(rank.wait().code, base::Code::ok);
        }
      } else {
        ASSERT_TRUE(
            rank.endpoint().recv(transport::Peer::local(static_cast<Rank>(root)), operation, {}, 2).is_ok());
        ASSERT_EQ(rank.wait().code, base::Code::ok);
        if (random() % 20 == 0) usleep(random() % 300);
        ASSERT_EQ(std::memcmp(shared.data(), expected.data(), expected.size()), 0)
            << "operation " << operation;
      }
      memory.end_operation();
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Node, SharedMemory, ::testing::Values(RankKind::thread, RankKind::process),
                         [](const auto& tested) {
                           return tested.param == RankKind::thread ? "Threads" : "Processes";
                         });

}  // namespace
}  // namespace tutti::node::test
