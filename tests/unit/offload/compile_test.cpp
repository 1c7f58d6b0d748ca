// Compiling the catalogue's barriers, and what the compiled descriptors do when they are lowered again.

#include "offload/compile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "algorithm/catalogue.hpp"
#include "offload/consistency.hpp"
#include "offload/lower.hpp"
#include "offload/rounds.hpp"
#include "samples.hpp"
#include "schedule/verifier.hpp"
#include "tests/support/sanitizer.hpp"
#include "topology/topology.hpp"

namespace tutti::offload {
namespace {

using algorithm::Collective;
using pattern::DisseminationShape;
using schedule::BufRef;
using schedule::Holding;
using schedule::Peer;
using schedule::RankContents;
using schedule::Schedule;
using schedule::ScheduleBuilder;
using schedule::Slot;

std::vector<Schedule> catalogue_schedules(std::string_view text, int ranks, int ranks_per_node = 1) {
  const auto choice = algorithm::parse_choice(Collective::barrier, text).value();
  const auto topology = topology::Topology::blocked(ranks, ranks_per_node);
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < ranks; ++rank)
    schedules.push_back(
        choice.algorithm->build({.rank_count = ranks}, rank, topology, choice.parameters).value());
  return schedules;
}

schedule::VerifyReport verify(const std::vector<Schedule>& schedules,
                              const std::vector<RankContents>& contents, bool synchronises) {
  std::vector<int32_t> nodes(schedules.size());
  std::vector<schedule::Rank> leaders(schedules.size());
  for (size_t i = 0; i < nodes.size(); ++i) nodes[i] = leaders[i] = static_cast<int32_t>(i);
  return schedule::verify({.ranks = contents,
                           .node_of_rank = nodes,
                           .leader_of_node = leaders,
                           .commutative = false,
                           .element_bytes = 8,
                           .synchronises = synchronises},
                          schedules);
}

/// Descriptors with these rounds, lowered and proved to be a barrier.
std::string barrier_defect(const std::vector<std::vector<Round>>& rounds) {
  std::vector<Descriptor> all;
  std::vector<Schedule> lowered;
  for (NodeId rank = 0; rank < rounds.size(); ++rank) {
    Descriptor d{.nodes = static_cast<uint32_t>(rounds.size()), .rank = rank};
    d.rounds = rounds[rank];
    lowered.push_back(lower(d).value());
    all.push_back(std::move(d));
  }
  if (const auto status = check_consistency(all); !status) return status.message();
  return verify(lowered, std::vector<RankContents>(all.size()), true).message;
}

TEST(Compile, DisseminationOfOneRankIsWhatTheRankComputes) {
  for (const uint32_t radix : {2U, 3U, 4U, 5U, 16U})
    for (const auto shape : {DisseminationShape::forward, DisseminationShape::symmetric}) {
      if (shape == DisseminationShape::symmetric && radix % 2 == 0) continue;
      const std::string text = "dissemination:radix=" + std::to_string(radix) +
                               (shape == DisseminationShape::symmetric ? ":shape=symmetric" : "");
      for (const int ranks : {1, 2, 3, 5, 9, 16, 17, 64, 100}) {
        const auto schedules = catalogue_schedules(text, ranks);
        std::vector<std::vector<Round>> one_by_one;
        for (int rank = 0; rank < ranks; ++rank) {
          one_by_one.push_back(compile(schedules[static_cast<size_t>(rank)]).value());
          EXPECT_EQ(
              one_by_one.back(),
              dissemination(static_cast<uint32_t>(ranks), static_cast<NodeId>(rank), radix, shape).value());
        }
        EXPECT_EQ(compile_all(schedules).value(), one_by_one) << text << " " << ranks;
        EXPECT_EQ(barrier_defect(one_by_one), "") << text << " " << ranks;
      }
    }
}

TEST(Compile, TreesNeedAllRanks) {
  for (const int ranks : {2, 3, 8, 21, 64}) {
    const auto rounds = compile_all(catalogue_schedules("tree:radix=3", ranks));
    ASSERT_TRUE(rounds.is_ok()) << rounds.status().message();
    EXPECT_EQ(barrier_defect(*rounds), "");
  }
  // Compiled alone, a leaf takes its release for an answer in the first round, and an inner rank has no rounds at
  // all.
  std::vector<std::vector<Round>> alone;
  for (const Schedule& schedule : catalogue_schedules("tree:radix=2", 2))
    alone.push_back(compile(schedule).value());
  EXPECT_EQ(barrier_defect(alone), "rank 0 signals rank 1 in round 1, which does not wait for it");
  EXPECT_FALSE(compile(catalogue_schedules("tree:radix=2", 4)[2]));
}

TEST(Compile, WhatIsNoRoundsIsRefused) {
  const auto message = [](ScheduleBuilder&& builder) {
    return compile(std::move(builder).finish().value()).status().message();
  };
  {
    ScheduleBuilder builder;
    builder.send(Peer::rank(1), {Slot::input, 0, 8});
    EXPECT_EQ(message(std::move(builder)), "task 0 carries data, which a barrier's descriptor has none of");
  }
  {
    ScheduleBuilder builder;
    builder.copy({Slot::input, 0, 8}, {Slot::output, 0, 8});
    EXPECT_EQ(message(std::move(builder)), "task 0 works on data, which a barrier's descriptor has none of");
  }
  {
    ScheduleBuilder builder;
    builder.await(Peer::local(1));
    EXPECT_EQ(message(std::move(builder)), "task 0 stays inside its node, which no NIC sees");
  }
  {
    ScheduleBuilder builder;
    builder.notify(Peer::node(1));
    EXPECT_EQ(message(std::move(builder)), "task 0 speaks to a node, not to a rank");
  }
  {
    ScheduleBuilder builder;  // each send answers an arrival of its own
    builder.notify(Peer::rank(3), builder.await(Peer::rank(1)));
    builder.notify(Peer::rank(4), builder.await(Peer::rank(2)));
    EXPECT_EQ(message(std::move(builder)),
              "task 3 waits for other arrivals than an earlier send, not for those and more: no rounds");
  }
  {
    ScheduleBuilder builder;
    builder.notify(Peer::rank(1));
    builder.notify(Peer::rank(1));
    EXPECT_EQ(message(std::move(builder)), "round 0 has two messages with rank 1 one way");
  }
  {
    ScheduleBuilder builder;
    for (int i = 1; i <= 16; ++i) builder.await(Peer::rank(i));
    EXPECT_EQ(message(std::move(builder)), "round 0 has 16 messages one way, more than 15");
  }
  {
    ScheduleBuilder builder;
    for (int i = 1; i <= 301; ++i) builder.await(Peer::rank(i));
    EXPECT_EQ(message(std::move(builder)), "301 messages one way; 20 rounds of 15 hold 300");
  }
  {
    ScheduleBuilder builder;
    schedule::TaskId last = schedule::k_no_task;
    for (int i = 1; i <= 21; ++i) {
      builder.notify(Peer::rank(i), last);
      last = builder.await(Peer::rank(i), last);
    }
    EXPECT_EQ(message(std::move(builder)), "21 rounds; a descriptor has 20");
  }
}

TEST(Compile, RanksThatDoNotFitAreRefused) {
  const auto message = [](std::vector<ScheduleBuilder> builders) {
    std::vector<Schedule> schedules;
    for (ScheduleBuilder& builder : builders) schedules.push_back(std::move(builder).finish().value());
    return compile_all(schedules).status().message();
  };
  std::vector<ScheduleBuilder> two(2);
  two[0].notify(Peer::rank(1));
  EXPECT_EQ(message(two), "rank 0: task 0 signals rank 1, which does not wait for it");
  two[0].await(Peer::rank(1));
  two[1].await(Peer::rank(0));
  EXPECT_EQ(message(two), "rank 0: task 1 waits for rank 1, which sends nothing");
  std::vector<ScheduleBuilder> circle(2);
  circle[0].notify(Peer::rank(1), circle[0].await(Peer::rank(1)));
  circle[1].notify(Peer::rank(0), circle[1].await(Peer::rank(0)));
  EXPECT_EQ(message(circle), "the ranks wait for each other in a circle");
  EXPECT_EQ(compile_all(catalogue_schedules("hierarchical", 4, 2)).status().message(),
            "rank 0: task 0 stays inside its node, which no NIC sees");
  EXPECT_EQ(compile_all(catalogue_schedules("dissemination:radix=64", 64)).status().message(),
            "rank 0: round 0 has 63 messages one way, more than 15");
}

TEST(Lower, AllreduceIsRightAndInOrder) {
  for (uint32_t radix = 2; radix <= std::max(test::samples(16U), 3U); ++radix)
    for (const uint32_t nodes : {1U, 2U, 3U, 5U, 6U, 7U, 8U, 11U, 16U, 17U, 23U, 36U, 64U})
      for (const bool in_place : {false, true}) {
        constexpr uint64_t k_bytes = 16;
        std::vector<Schedule> lowered;
        std::vector<RankContents> contents(nodes);
        for (NodeId rank = 0; rank < nodes; ++rank) {
          lowered.push_back(lower(allreduce_of(nodes, rank, radix, 2), in_place).value());
          const Holding own{.length = k_bytes, .first = static_cast<int32_t>(rank)};
          (in_place ? contents[rank].output_before : contents[rank].input) = {own};
          contents[rank].output_after = {
              {.length = k_bytes, .first = 0, .contributor_count = static_cast<int32_t>(nodes)}};
        }
        EXPECT_EQ(verify(lowered, contents, false).message, "") << nodes << " nodes, radix " << radix;
      }
}

TEST(Lower, UnsoundDescriptorsAreRefused) {
  Descriptor d = barrier_of(8, 0, 2);
  d.rounds[0].sends[0] = 0;
  EXPECT_EQ(lower(d).status().message(), "descriptor: round 0: node 0 itself among its sends");
  EXPECT_EQ(lower(barrier_of(3'000'000'000U, 0, 3)).status().message(),
            "descriptor: more nodes than an MPI communicator can have ranks");
}

}  // namespace
}  // namespace tutti::offload
