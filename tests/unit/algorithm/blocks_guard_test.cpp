// Tests the refusals of the algorithms that move blocks, with their messages, and their layouts.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "algorithm/block_layout.hpp"
#include "algorithm/catalogue.hpp"

namespace tutti::algorithm {
namespace {

using schedule::BufRef;
using schedule::Slot;

/// Empty when the algorithm applies.
std::string refusal(const char* choice, const Request& request) {
  const auto parsed = parse_choice(request.collective, choice);
  EXPECT_TRUE(parsed) << parsed.status().message();
  if (!parsed) return "unknown";
  std::string why_not;
  const auto topology = Topology::flat(request.rank_count);
  const bool applies = parsed->algorithm->applies(request, topology, parsed->parameters, &why_not);
  EXPECT_EQ(applies, why_not.empty());
  return why_not;
}

Request request_of(Collective collective, Rank ranks, uint64_t block_bytes = 8) {
  Request request;
  request.collective = collective;
  request.rank_count = ranks;
  request.own_bytes = block_bytes;
  request.blocks.uniform_bytes = request.receive_blocks.uniform_bytes = block_bytes;
  return request;
}

TEST(BlockGuards, ShapesThatNeedCertainRankCounts) {
  for (Collective collective : {Collective::allgather, Collective::allgatherv}) {
    EXPECT_EQ(refusal("recursive_doubling", request_of(collective, 8)), "");
    EXPECT_EQ(refusal("recursive_doubling", request_of(collective, 6)),
              "it needs a power of two of ranks, not 6");
    EXPECT_EQ(refusal("neighbour_exchange", request_of(collective, 6)), "");
    EXPECT_EQ(refusal("neighbour_exchange", request_of(collective, 7)),
              "neighbour exchange pairs the ranks and needs an even number, not 7");
    EXPECT_EQ(refusal("bruck", request_of(collective, 7)), "");
    EXPECT_EQ(refusal("ring", request_of(collective, 7)), "");
  }
}

TEST(BlockGuards, TreesNeedSizesThatEverybodyKnows) {
  for (Collective collective : {Collective::gatherv, Collective::scatterv}) {
    Request request = request_of(collective, 5);
    EXPECT_EQ(refusal("binomial", request), "");
    request.counts_known_everywhere = false;
    EXPECT_EQ(refusal("binomial", request),
              "only the root knows the sizes of the blocks, and other ranks would have to pass them on");
    EXPECT_EQ(refusal("linear", request), "");
  }
}

TEST(BlockGuards, SegmentsAreNotWithoutNumber) {
  constexpr uint64_t k_huge = uint64_t{1} << 32;
  EXPECT_NE(refusal("ring:segment=1", request_of(Collective::allgather, 4, k_huge)), "");
  EXPECT_NE(refusal("linear:segment=1", request_of(Collective::gather, 4, k_huge)), "");
  EXPECT_NE(refusal("linear:segment=1", request_of(Collective::scatter, 4, k_huge)), "");
  EXPECT_EQ(refusal("linear", request_of(Collective::scatter, 4, k_huge)), "");
}

std::vector<BufRef> runs(const BlockLayout& layout, Rank first, Rank count) {
  std::vector<BufRef> found;
  layout.for_each_run(first, count, [&](BufRef run) { found.push_back(run); });
  return found;
}

TEST(BlockLayout, UniformBlocksAreOnePieceUpToTheWrap) {
  const BlockLayout layout({.uniform_bytes = 10}, 5, Slot::output);
  EXPECT_EQ(runs(layout, 1, 3), (std::vector<BufRef>{{Slot::output, 10, 30}}));
  EXPECT_EQ(runs(layout, 3, 4), (std::vector<BufRef>{{Slot::output, 30, 20}, {Slot::output, 0, 20}}));
  EXPECT_EQ(layout.range_bytes(3, 4), 40u);
}

TEST(BlockLayout, GapsAndOrderBreakRunsAndEmptyBlocksDoNot) {
  const std::vector<uint64_t> sizes = {4, 0, 6, 5}, offsets = {20, 999, 24, 0};
  const BlockLayout layout({.sizes = sizes, .offsets = offsets}, 4, Slot::input);
  EXPECT_EQ(runs(layout, 0, 4), (std::vector<BufRef>{{Slot::input, 20, 10}, {Slot::input, 0, 5}}));
  EXPECT_EQ(layout.range_bytes(2, 3), 15u);
  EXPECT_EQ(layout.smallest_bytes(), 0u);
  EXPECT_EQ(layout.total_bytes(), 15u);
}

}  // namespace
}  // namespace tutti::algorithm
