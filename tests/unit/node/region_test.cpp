#include <algorithm>
#include <random>

#include "support.hpp"

namespace tutti::node::test {
namespace {

using base::Code;

Region acquire(const Arena& arena, uint32_t communicator, std::span<const Rank> members, uint32_t index,
               const RegionShape& shape = {}) {
  return Region::acquire(arena, {.communicator = communicator, .members = members},
                         {.index = index, .process = static_cast<uint32_t>(members[index])}, shape);
}

TEST(RegionLayout, TakesTheDocumentedBytes) {
  const auto kib = [](const RegionShape& shape, uint32_t members) {
    return RegionLayout(shape, members).bytes() >> 10;
  };
  EXPECT_EQ(kib({}, 2), 324u);
  EXPECT_EQ(kib({}, 8), 580u);
  EXPECT_EQ(kib({}, 64), 6852u);
  EXPECT_EQ(kib(k_smallest_shape, 2), 28u);
  EXPECT_EQ(kib(k_smallest_shape, 8), 88u);
  EXPECT_EQ(kib(k_smallest_shape, 64), 2804u);
  for (const uint32_t m : {2u, 3u, 8u, 64u, 200u}) {
    for (const RegionShape& s : {RegionShape{}, k_smallest_shape}) {
      const uint64_t formula = 64 * (1 + m) + uint64_t{m} * (m - 1) * (128 + 256 * s.slots) +
                               m * (64 + uint64_t{s.blocks} * s.block_bytes) + s.memory_bytes;
      EXPECT_EQ(RegionLayout(s, m).bytes(), (formula + 4095) / 4096 * 4096);
    }
  }
}

TEST(RegionLayout, PartsDoNotOverlap) {
  const RegionShape shape{.slots = 2, .blocks = 3, .block_bytes = 256, .memory_bytes = 256};
  const uint32_t m = 5;
  const RegionLayout layout(shape, m);
  std::vector<std::pair<uint64_t, uint64_t>> parts;
  for (uint32_t i = 0; i < m; ++i) parts.emplace_back(layout.member(i), 64);
  for (uint32_t from = 0; from < m; ++from) {
    parts.emplace_back(layout.pool(from), 64 + 3 * 256);
    for (uint32_t to = 0; to < m; ++to) {
      if (to != from) parts.emplace_back(layout.mailbox(from, to), 128 + 2 * 256);
    }
  }
  parts.emplace_back(layout.memory(0), 128);
  parts.emplace_back(layout.memory(1), 128);
  std::sort(parts.begin(), parts.end());
  for (size_t i = 0; i + 1 < parts.size(); ++i)
    EXPECT_LE(parts[i].first + parts[i].second, parts[i + 1].first);
  EXPECT_LE(parts.back().first + parts.back().second, layout.bytes());
}

TEST(RegionLayout, RejectsShapesThatCannotBe) {
  EXPECT_TRUE(check(RegionShape{}, 2).is_ok());
  EXPECT_TRUE(check(k_smallest_shape, 64).is_ok());
  EXPECT_EQ(check(RegionShape{}, 1).code(), Code::invalid_argument);
  EXPECT_EQ(check(RegionShape{}, RegionLayout::k_max_members + 1).code(), Code::invalid_argument);
  EXPECT_EQ(check(RegionShape{.slots = 3}, 2).code(), Code::invalid_argument);
  EXPECT_EQ(check(RegionShape{.blocks = 2}, 2).code(), Code::invalid_argument);
  EXPECT_EQ(check(RegionShape{.blocks = 65}, 2).code(), Code::invalid_argument);
  EXPECT_EQ(check(RegionShape{.block_bytes = 100}, 2).code(), Code::invalid_argument);
  EXPECT_EQ(check(RegionShape{.memory_bytes = 100}, 2).code(), Code::invalid_argument);
}

TEST(Region, MembersMeetAndTheLastOneFrees) {
  auto arena = make_arena(3);
  const uint64_t free_before = arena->free_bytes();
  const auto members = ranks_up_to(3);
  Region a = acquire(*arena, 7, members, 0);
  Region b = acquire(*arena, 7, members, 1);
  ASSERT_TRUE(a.status().is_ok()) << a.status().message();
  EXPECT_EQ(a.base(), b.base());
  EXPECT_EQ(arena->region_count(), 1u);
  a.release();
  b.release();
  // The third has not been here yet: it must find the same answer as the others.
  EXPECT_EQ(arena->region_count(), 1u);
  Region c = acquire(*arena, 7, members, 2);
  EXPECT_TRUE(c.status().is_ok());
  c.release();
  EXPECT_EQ(arena->region_count(), 0u);
  EXPECT_EQ(arena->free_bytes(), free_before);
}

TEST(Region, OneIdServesDifferentGroups) {
  auto arena = make_arena(4);
  const std::vector<Rank> low{0, 1}, high{2, 3}, mixed{0, 2};
  Region a = acquire(*arena, 5, low, 0);
  Region b = acquire(*arena, 5, high, 0);
  Region c = acquire(*arena, 5, mixed, 0);  // rank 0 has released `low`, its slow peer 1 has not
  EXPECT_NE(a.base(), b.base());
  EXPECT_NE(a.base(), c.base());
  EXPECT_EQ(acquire(*arena, 5, mixed, 1).base(), c.base());
}

TEST(Region, RejectsNonsense) {
  auto arena = make_arena(2);
  const auto members = ranks_up_to(2);
  const RegionKey key{.communicator = 1, .members = members};
  EXPECT_EQ(Region::acquire(*arena, key, {.index = 2, .process = 0}).status().code(), Code::invalid_argument);
  EXPECT_EQ(Region::acquire(*arena, key, {.index = 0, .process = 2}).status().code(), Code::invalid_argument);
  EXPECT_EQ(acquire(*arena, 1, std::span(members).first(1), 0).status().code(), Code::invalid_argument);
  EXPECT_EQ(arena->region_count(), 0u);
  Region a = acquire(*arena, 1, members, 0);
  Region b = acquire(*arena, 1, members, 1);
  EXPECT_EQ(acquire(*arena, 1, members, 0).status().code(), Code::internal);
}

TEST(Region, ARefusalIsTheSameForAllMembers) {
  auto arena = make_arena(2, Arena::k_min_bytes);
  const auto members = ranks_up_to(2);
  std::vector<Region> held;
  uint32_t communicator = 0;
  do {
    held.push_back(acquire(*arena, communicator, members, 0));
    ++communicator;
  } while (held.back().status().is_ok());
  ASSERT_GT(held.size(), 2u);
  const base::Status refusal = held.back().status();
  EXPECT_EQ(refusal.code(), Code::out_of_memory);
  EXPECT_EQ(refusal.message().find('\n'), std::string::npos);
  // Room appears, but one member has been told that there is none.
  const uint32_t refused = communicator - 1;
  for (uint32_t c = 0; c < refused; ++c) {
    held[c].release();
    acquire(*arena, c, members, 1);
  }
  EXPECT_EQ(acquire(*arena, refused, members, 1).status().code(), Code::out_of_memory);
  held.back().release();
  EXPECT_EQ(arena->region_count(), 0u);
  EXPECT_TRUE(acquire(*arena, refused, members, 0).status().is_ok());  // a new communicator of that id
}

TEST(Region, AThousandLiveCommunicatorsOfEight) {
  auto arena = make_arena(8, Arena::default_bytes(8));
  const uint64_t free_before = arena->free_bytes();
  const auto members = ranks_up_to(8);
  std::vector<Region> held;
  uint32_t granted = 0;
  for (uint32_t c = 0; c < 1000; ++c) {
    for (uint32_t i = 0; i < 8; ++i) {
      held.push_back(acquire(*arena, c, members, i));
      ASSERT_EQ(held.back().base(), held[c * 8].base());
      ASSERT_EQ(held.back().status().code(), held[c * 8].status().code());
    }
    if (held.back().status().is_ok()) ++granted;
  }
  EXPECT_EQ(arena->region_count(), 1000u);
  EXPECT_GE(granted, 80u);
  EXPECT_LT(granted, 1000u);
  EXPECT_EQ(held[0].layout().shape().memory_bytes,
            RegionShape{}.memory_bytes);  // the first ones get all they wish
  held.clear();
  EXPECT_EQ(arena->region_count(), 0u);
  EXPECT_EQ(arena->free_bytes(), free_before);
}

TEST(Region, WhenTheTableIsFullEverybodyGoesWithout) {
  auto arena = make_arena(2, Arena::k_min_bytes);
  const auto members = ranks_up_to(2);
  std::vector<Region> held;
  for (uint32_t c = 0; c < 100; ++c) held.push_back(acquire(*arena, c, members, 0));
  EXPECT_EQ(held.back().status().code(), Code::out_of_memory);
  const uint32_t entered = arena->region_count();
  ASSERT_LT(entered, 100u);
  // Members that were entered find each other; the ones that were not stay without although there is room
  // again.
  EXPECT_EQ(acquire(*arena, 0, members, 1).base(), held[0].base());
  held[0].release();
  EXPECT_EQ(acquire(*arena, 99, members, 1).status().code(), Code::out_of_memory);
}

TEST(Region, ThousandsCreatedAndFreedInAnyOrderLeakNothing) {
  auto arena = make_arena(8, 4 << 20);
  const uint64_t free_before = arena->free_bytes();
  std::mt19937 random(1);
  std::vector<Region> live;
  for (uint32_t c = 0; c < 5000; ++c) {
    const auto members = ranks_up_to(2 + random() % 7);
    for (uint32_t i = 0; i < members.size(); ++i) live.push_back(acquire(*arena, c, members, i));
    std::shuffle(live.begin(), live.end(), random);
    live.resize(live.size() - live.size() / 3);
  }
  live.clear();
  EXPECT_EQ(arena->region_count(), 0u);
  EXPECT_EQ(arena->free_bytes(), free_before);
}

class RegionRanks : public ::testing::TestWithParam<RankKind> {};

TEST_P(RegionRanks, CompeteWithoutLosingAnything) {
  constexpr uint32_t k_ranks = 4, k_rounds = 500;
  run_ranks(
      GetParam(), k_ranks,
      [](const Arena& arena, uint32_t me) {
        const auto members = ranks_up_to(k_ranks);
        std::mt19937 random(me);
        std::vector<Region> live;
        for (uint32_t c = 0; c < k_rounds; ++c) {
          live.push_back(acquire(arena, c, members, me, k_smallest_shape));
          if (random() % 2 == 0 || live.size() > 20) live.erase(live.begin() + random() % live.size());
        }
        live.clear();
      },
      [](const Arena& arena) { EXPECT_EQ(arena.region_count(), 0u); });
}

TEST(Region, AForkedChildDoesNotReleaseItsParentsRegions) {
  auto arena = make_arena(2);
  const auto members = ranks_up_to(2);
  Region a = acquire(*arena, 1, members, 0);
  Region b = acquire(*arena, 1, members, 1);
  EXPECT_TRUE(succeeds_in_child([&] {
    a.release();
    b.release();
  }));
  EXPECT_EQ(arena->region_count(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Node, RegionRanks, ::testing::Values(RankKind::thread, RankKind::process),
                         [](const auto& tested) {
                           return tested.param == RankKind::thread ? "Threads" : "Processes";
                         });

}  // namespace
}  // namespace tutti::node::test
