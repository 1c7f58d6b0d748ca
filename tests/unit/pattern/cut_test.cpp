// Cutting messages: segments and even blocks.

#include <gtest/gtest.h>

#include "pattern/even_blocks.hpp"
#include "pattern/segments.hpp"
#include "pattern/shape.hpp"

namespace tutti::pattern {
namespace {

TEST(Shape, FloorPowerOfTwo) {
  EXPECT_EQ(floor_power_of_two(1), 1u);
  EXPECT_EQ(floor_power_of_two(2), 2u);
  EXPECT_EQ(floor_power_of_two(3), 2u);
  EXPECT_EQ(floor_power_of_two(1023), 512u);
  EXPECT_EQ(floor_power_of_two(1024), 1024u);
  EXPECT_EQ(floor_power_of_two(UINT64_MAX), uint64_t{1} << 63);
}

TEST(Segments, CoverTheMessageWithoutGaps) {
  for (uint64_t bytes : {0u, 1u, 99u, 100u, 101u, 250u}) {
    const Segments segments{bytes, 100};
    uint64_t end = 0;
    for (uint64_t i = 0; i < segments.count(); ++i) {
      EXPECT_EQ(segments.offset(i), end);
      EXPECT_GT(segments.length(i), 0u);
      EXPECT_LE(segments.length(i), segments.longest());
      end += segments.length(i);
    }
    EXPECT_EQ(end, bytes);
  }
  EXPECT_EQ((Segments{250, 100}.count()), 3u);
  EXPECT_EQ((Segments{UINT64_MAX, 2}.count()), uint64_t{1} << 63);
}

TEST(Segments, CutNoElement) {
  EXPECT_EQ(Segments::of_elements(1000, 100, 12).segment_bytes, 96u);
  EXPECT_EQ(Segments::of_elements(1000, 96, 12).segment_bytes, 96u);
  EXPECT_EQ(Segments::of_elements(1000, 5, 12).segment_bytes, 12u) << "at least one element";
}

TEST(EvenBlocks, CoverTheVectorAndDifferByOneElement) {
  for (Rank count : {1, 2, 3, 7, 64})
    for (uint64_t elements : {0u, 1u, 6u, 7u, 8u, 1000u}) {
      const EvenBlocks blocks{elements * 12, 12, count};
      uint64_t end = 0;
      for (Rank i = 0; i < count; ++i) {
        EXPECT_EQ(blocks.offset(i), end);
        EXPECT_EQ(blocks.length(i) % 12, 0u);
        EXPECT_LE(blocks.length(count - 1), blocks.length(i)) << "the last block is a shortest one";
        EXPECT_LE(blocks.length(i), blocks.length(count - 1) + 12);
        end += blocks.length(i);
      }
      EXPECT_EQ(end, elements * 12);
    }
}

TEST(EvenBlocks, TailGoesToTheLastBlock) {
  const EvenBlocks blocks{27, 4, 3};
  EXPECT_EQ(blocks.length(0), 8u);
  EXPECT_EQ(blocks.length(1), 8u);
  EXPECT_EQ(blocks.length(2), 11u);
}

}  // namespace
}  // namespace tutti::pattern
