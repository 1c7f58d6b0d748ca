#include "offload/nic/operators.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace tutti::offload::nic {
namespace {

uint64_t bits(double value) {
  return std::bit_cast<uint64_t>(value);
}

TEST(Operators, WholeNumbers) {
  const auto minus_one = static_cast<uint64_t>(int64_t{-1});
  EXPECT_EQ(apply(Operator::sum, ElementType::int64, minus_one, 3), 2u);
  EXPECT_EQ(apply(Operator::min, ElementType::int64, minus_one, 3), minus_one);
  EXPECT_EQ(apply(Operator::max, ElementType::int64, minus_one, 3), 3u);
  EXPECT_EQ(apply(Operator::min, ElementType::uint64, minus_one, 3), 3u);
  EXPECT_EQ(apply(Operator::max, ElementType::uint64, minus_one, 3), minus_one);
  EXPECT_EQ(apply(Operator::bit_and, ElementType::uint64, 12, 10), 8u);
  EXPECT_EQ(apply(Operator::bit_or, ElementType::int64, 12, 10), 14u);
}

TEST(Operators, NotANumberIsAlwaysTheSame) {
  const double infinity = std::numeric_limits<double>::infinity();
  const uint64_t odd_nan = 0xfff0000000000123;
  EXPECT_EQ(apply(Operator::sum, ElementType::float64, bits(infinity), bits(-infinity)), k_canonical_nan);
  for (const Operator op : {Operator::sum, Operator::min, Operator::max}) {
    EXPECT_EQ(apply(op, ElementType::float64, odd_nan, bits(1)), k_canonical_nan);
    EXPECT_EQ(apply(op, ElementType::float64, bits(1), odd_nan), k_canonical_nan);
  }
}

TEST(Operators, EqualZerosKeepTheFirst) {
  for (const Operator op : {Operator::min, Operator::max}) {
    EXPECT_EQ(apply(op, ElementType::float64, bits(-0.0), bits(0.0)), bits(-0.0));
    EXPECT_EQ(apply(op, ElementType::float64, bits(0.0), bits(-0.0)), bits(0.0));
  }
}

TEST(Operators, SumsRoundToNearestEvenWithSubnormals) {
  EXPECT_EQ(apply(Operator::sum, ElementType::float64, bits(0x1p53), bits(1)), bits(0x1p53));
  EXPECT_EQ(apply(Operator::sum, ElementType::float64, bits(0x1p53 + 2), bits(1)), bits(0x1p53 + 4));
  EXPECT_EQ(apply(Operator::sum, ElementType::float64, 1, 1), 2u) << "the least subnormals";
}

}  // namespace
}  // namespace tutti::offload::nic
