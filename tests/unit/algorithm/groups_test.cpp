// Two-level algorithms on nodes that are parts of larger ones: only one node of a group sends to other groups.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "algorithm/catalogue.hpp"

namespace tutti::algorithm {
namespace {

constexpr Rank k_ranks = 12;
constexpr uint64_t k_block = 600, k_vector = k_ranks * k_block;

/// Nodes {0, 1}, {2, 3}, … of two groups, which have every second node.
Topology grouped() {
  return Topology::blocked(k_ranks, 2).with_groups(std::vector<int32_t>{7, 3, 7, 3, 7, 3});
}

int group_of(Rank rank) {
  return rank / 2 % 2;
}

Request request_of(Collective collective, Rank root, Rank me) {
  const bool is_scattered = is_rooted(collective) && collective != Collective::bcast;
  return {.collective = collective,
          .rank_count = k_ranks,
          .root = is_rooted(collective) ? root : 0,
          .bytes = k_vector,
          .own_bytes = k_block,
          .blocks = {.uniform_bytes = k_block, .known = !is_scattered || me == root},
          .receive_blocks = {.uniform_bytes = k_block}};
}

struct Traffic {
  uint64_t messages = 0, bytes = 0;
};

/// What all ranks send to ranks of other groups.
Traffic between_groups(const std::string& text, Collective collective, Rank root, const Topology& topology) {
  const auto choice = parse_choice(collective, text);
  EXPECT_TRUE(choice) << choice.status().message();
  Traffic traffic;
  for (Rank me = 0; me < k_ranks; ++me) {
    const auto schedule =
        choice->algorithm->build(request_of(collective, root, me), me, topology, choice->parameters);
    EXPECT_TRUE(schedule) << schedule.status().message();
    for (const schedule::Task& task : schedule->tasks()) {
      if (task.kind != schedule::TaskKind::send || group_of(task.peer.index) == group_of(me)) continue;
      ++traffic.messages;
      traffic.bytes += task.source.length;
    }
  }
  return traffic;
}

struct Case {
  Collective collective;
  std::string text;
  uint64_t bytes;  // that have to cross, in both directions together
};

class Groups : public testing::TestWithParam<Case> {};

TEST_P(Groups, SendEveryByteOnceToAnotherGroup) {
  const Case& one = GetParam();
  for (const Rank root : {0, 7}) {
    const Traffic with = between_groups(one.text, one.collective, root, grouped());
    EXPECT_EQ(with.bytes, one.bytes) << "root " << root;
    const Traffic without = between_groups(one.text, one.collective, root, Topology::blocked(k_ranks, 2));
    EXPECT_GT(without.bytes + without.messages, with.bytes + with.messages) << "root " << root;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Hierarchical, Groups,
    testing::Values(Case{Collective::barrier, "hierarchical", 0},
                    Case{Collective::bcast, "hierarchical:inter=linear:segment=1G", k_vector},
                    Case{Collective::bcast, "hierarchical:segment=1K", k_vector},
                    Case{Collective::reduce, "hierarchical:inter=knomial:segment=1K", k_vector},
                    Case{Collective::allreduce, "hierarchical:segment=2K", 2 * k_vector},
                    Case{Collective::allgather, "hierarchical", k_vector},
                    Case{Collective::gather, "hierarchical", k_vector / 2},
                    Case{Collective::scatter, "hierarchical:segment=1K", k_vector / 2},
                    Case{Collective::reduce_scatter_block, "hierarchical", k_vector}),
    [](const auto& one) {
      return std::string(to_string(one.param.collective)) + "_" + std::to_string(one.index);
    });

TEST(GroupedTopology, HasGroupsOnlyWhereTheyDifferFromItsNodes) {
  const Topology nodes = Topology::blocked(8, 2);
  EXPECT_FALSE(nodes.has_groups());
  EXPECT_FALSE(nodes.with_groups(std::vector<int32_t>{1, 1, 1, 1}).has_groups());
  EXPECT_FALSE(nodes.with_groups(std::vector<int32_t>{4, 3, 2, 1}).has_groups());
  const Topology pairs = nodes.with_groups(std::vector<int32_t>{9, 9, 2, 2});
  ASSERT_TRUE(pairs.has_groups());
  EXPECT_TRUE(pairs.with_leader(3).has_groups());
  EXPECT_EQ(pairs.between_nodes().rank_count(), 4);
  EXPECT_EQ(pairs.between_nodes().node_of(1), 0);
  EXPECT_EQ(pairs.between_nodes().node_of(2), 1);
}

}  // namespace
}  // namespace tutti::algorithm
