#include "offload/rounds.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "offload/consistency.hpp"
#include "samples.hpp"
#include "tests/support/sanitizer.hpp"

namespace tutti::offload {
namespace {

using pattern::DisseminationShape;

std::vector<Descriptor> every(uint32_t nodes, const std::function<Descriptor(NodeId)>& make) {
  std::vector<Descriptor> all;
  for (NodeId rank = 0; rank < nodes; ++rank) all.push_back(make(rank));
  return all;
}

TEST(Rounds, DisseminationFitsTogether) {
  for (const uint32_t radix : {2U, 3U, 4U, 7U, 16U})
    for (uint32_t nodes = 1; nodes <= test::samples(130U); ++nodes)
      for (const auto shape : {DisseminationShape::forward, DisseminationShape::symmetric}) {
        if (shape == DisseminationShape::symmetric && radix % 2 == 0) continue;
        const auto status = check_consistency(
            every(nodes, [&](NodeId rank) { return barrier_of(nodes, rank, radix, shape); }));
        ASSERT_TRUE(status) << nodes << " nodes, radix " << radix << ": " << status.message();
      }
}

TEST(Rounds, RecursiveMultiplyingFitsTogether) {
  for (uint32_t radix = 2; radix <= 16; ++radix)
    for (uint32_t nodes = 1; nodes <= test::samples(130U); ++nodes) {
      const auto status =
          check_consistency(every(nodes, [&](NodeId rank) { return allreduce_of(nodes, rank, radix); }));
      ASSERT_TRUE(status) << nodes << " nodes, radix " << radix << ": " << status.message();
    }
}

TEST(Rounds, OfOneFoldedNode) {
  const auto rounds = recursive_multiplying(7, 3, 2).value();
  ASSERT_EQ(rounds.size(), 4U);
  EXPECT_EQ(rounds[0], (Round{.sends = {2}}));
  EXPECT_EQ(rounds[1], Round{});
  EXPECT_EQ(rounds[2], Round{});
  EXPECT_EQ(rounds[3], (Round{.receives = {2}, .action = Action::replace}));
}

TEST(Rounds, WhatDoesNotFitIsSaidInOneLine) {
  const auto message = [](uint32_t nodes, NodeId rank, uint32_t radix, DisseminationShape shape) {
    return dissemination(nodes, rank, radix, shape).status().message();
  };
  constexpr auto k_forward = DisseminationShape::forward;
  EXPECT_EQ(message(0, 0, 2, k_forward), "there are no nodes");
  EXPECT_EQ(message(8, 8, 2, k_forward), "rank 8: there are 8 nodes");
  EXPECT_EQ(message(8, 0, 17, k_forward), "radix 17: a descriptor has room for 2 to 16");
  EXPECT_EQ(message(8, 0, 1, k_forward), "radix 1: a descriptor has room for 2 to 16");
  EXPECT_EQ(message(8, 0, 4, DisseminationShape::symmetric), "the symmetric shape needs an odd radix, not 4");
  EXPECT_EQ(message((1U << 20) + 1, 0, 2, k_forward),
            "1048577 nodes with radix 2 need 21 rounds; a descriptor has 20");
  EXPECT_EQ(message(1U << 20, 0, 2, k_forward), "");
  EXPECT_EQ(recursive_multiplying(9, 9, 3).status().message(), "rank 9: there are 9 nodes");
  EXPECT_EQ(recursive_multiplying((1U << 19) + 1, 0, 2).status().message(),
            "524289 nodes with radix 2 need 21 rounds; a descriptor has 20");
}

TEST(CompileAll, MessagesThatDoNotMeet) {
  auto all = every(9, [](NodeId rank) { return barrier_of(9, rank, 3); });
  ASSERT_TRUE(check_consistency(all));
  const auto message_with = [&](const std::function<void()>& change) {
    const auto sound = all;
    change();
    const auto status = check_consistency(all);
    all = sound;
    return status.message();
  };
  EXPECT_EQ(message_with([&] { all[0].rounds[0].sends[0] = 5; }),
            "rank 0 signals rank 5 in round 0, which does not wait for it");
  EXPECT_EQ(message_with([&] { all[0].rounds[0].sends.pop_back(); }),
            "rank 2 waits for rank 0 in round 0, which does not signal it");
  EXPECT_EQ(message_with([&] { all[3].epoch = 1; }),
            "the descriptors of rank 3 and rank 0 are of different collectives");
  EXPECT_EQ(message_with([&] { std::swap(all[3], all[4]); }), "descriptor 3 is that of rank 4");
  EXPECT_EQ(message_with([&] { all.pop_back(); }), "8 descriptors for 9 nodes");
  EXPECT_EQ(message_with([&] { all[2].rounds[1].sends[0] = 2; }),
            "rank 2: descriptor: round 1: node 2 itself among its sends");
  EXPECT_EQ(message_with([&] { all.clear(); }), "there are no descriptors");
}

}  // namespace
}  // namespace tutti::offload
