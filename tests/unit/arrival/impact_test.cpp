// Closed forms, limits, and what is known of the paper's formulas; nothing here is timed.

#include "arrival/impact.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace tutti::arrival;

double over_estimate(const ImpactCase& of) {
  return paper_coefficient(of) / exact_coefficient(of) - 1;
}

TEST(Impact, StepsOfATree) {
  EXPECT_EQ(binomial_steps(1), 0u);
  EXPECT_EQ(binomial_steps(2), 1u);
  EXPECT_EQ(binomial_steps(5), 3u);
  EXPECT_EQ(binomial_steps(1024), 10u);
  EXPECT_EQ(balanced_time(10, 4), 40);
}

TEST(Impact, TheoremOneIsTheFirstStep) {
  EXPECT_DOUBLE_EQ(mean_message_time(500, 4), 500.0 / 6 + 4);
  for (const double unbalance : {0.1, 1.0, 20.0, 125.0}) {
    const ImpactCase one{unbalance, 1, 1};
    EXPECT_DOUBLE_EQ(paper_coefficient(one), unbalance / 6);
    EXPECT_NEAR(exact_coefficient(one), unbalance / 6, 1e-9 * unbalance);
  }
}

TEST(Impact, TheoremTwoIsADistribution) {
  for (const uint32_t n : {1U, 2U, 8U}) {
    double area = 0, mean = 0;
    constexpr int k_parts = 10'000;
    for (int i = 0; i < k_parts; ++i) {
      const double x = 5.0 * (i + 0.5) / k_parts;
      area += leader_density(x, 5, n) * 5 / k_parts;
      mean += x * leader_density(x, 5, n) * 5 / k_parts;
    }
    EXPECT_NEAR(area, 1, 1e-6);
    EXPECT_NEAR(mean, 5.0 / (n + 1), 1e-5);
    EXPECT_EQ(leader_distribution(0, 5, n), 0);
    EXPECT_EQ(leader_distribution(5, 5, n), 1);
  }
  EXPECT_DOUBLE_EQ(leader_distribution(2.5, 5, 2), 0.75);
  EXPECT_EQ(leader_density(5.1, 5, 1), 0);
}

TEST(Impact, FormulaSevenBeginsWithItsLastCase) {
  for (const uint32_t n : {1U, 2U, 8U}) {
    const auto waits = paper_waits({30, 10, n});
    EXPECT_NEAR(waits[0], 30.0 / ((n + 1) * (n + 2)), 1e-12);
    const double left = 30 - (waits[0] + 1);
    EXPECT_NEAR(waits[1], std::pow(left, n + 2) / ((n + 1) * (n + 2) * std::pow(30.0, n + 1)), 1e-12);
    // A single step has nothing to replace.
    EXPECT_NEAR(exact_coefficient({30, 1, n}), waits[0], 1e-6);
  }
}

TEST(Impact, LimitsOfTheUnbalance) {
  EXPECT_EQ(paper_coefficient({0, 10, 1}), 0);
  EXPECT_EQ(exact_coefficient({0, 10, 1}), 0);
  EXPECT_EQ(exact_coefficient({5, 0, 1}), 0);
  for (const uint32_t n : {1U, 2U, 8U}) {
    // Below one transfer only the first step waits.
    EXPECT_NEAR(exact_coefficient({0.5, 10, n}), 0.5 / ((n + 1) * (n + 2)), 1e-6);
    EXPECT_NEAR(paper_coefficient({0.5, 10, n}), 0.5 / ((n + 1) * (n + 2)), 1e-12);
  }
  // Transfers that take no time: the root waits for the last of L + 1 that arrive in U[0, k].
  for (const uint32_t steps : {1U, 7U, 10U})
    EXPECT_NEAR(exact_coefficient({1e6, steps, 1}) / 1e6, (steps + 1.0) / (steps + 2) - 0.5, 1e-4);
}

TEST(Impact, MoreStepsThanTheUnbalanceChangeNothing) {
  for (const uint32_t n : {1U, 8U}) {
    EXPECT_NEAR(exact_coefficient({12, 12, n}), exact_coefficient({12, 40, n}), 1e-9);
    EXPECT_DOUBLE_EQ(paper_coefficient({12, 12, n}), paper_coefficient({12, 40, n}));
  }
}

TEST(Impact, SamplesAgreeWithTheIntegral) {
  for (const uint32_t n : {1U, 2U, 8U})
    for (const double unbalance : {1.0, 5.0, 20.0, 125.0}) {
      const ImpactCase of{unbalance, 10, n};
      const Estimate sampled = sampled_coefficient(of, 40'000, 1);
      EXPECT_GT(sampled.error, 0);
      EXPECT_NEAR(sampled.value, exact_coefficient(of), 4 * sampled.error) << n << ", " << unbalance;
    }
  EXPECT_EQ(sampled_coefficient({5, 10, 2}, 100, 3).value, sampled_coefficient({5, 10, 2}, 100, 3).value);
  EXPECT_NE(sampled_coefficient({5, 10, 2}, 100, 3).value, sampled_coefficient({5, 10, 2}, 100, 4).value);
}

TEST(Impact, ReplacingByTheMeanOverEstimates) {
  for (const uint32_t steps : {7U, 10U}) {
    const double at_5 = over_estimate({5, steps, 1});
    EXPECT_GT(at_5, 0.06);
    EXPECT_LT(at_5, 0.08);
    for (const double unbalance : {20.0, 50.0, 125.0}) {
      EXPECT_GT(over_estimate({unbalance, steps, 1}), 0.2) << unbalance;
      EXPECT_LT(over_estimate({unbalance, steps, 1}), 0.32) << unbalance;
    }
  }
}

TEST(Impact, BadCasesGetOneLine) {
  EXPECT_TRUE(check(ImpactCase{125, 10, 8}));
  for (const ImpactCase& of : {ImpactCase{-1, 10, 1}, ImpactCase{NAN, 10, 1}, ImpactCase{INFINITY, 10, 1},
                               ImpactCase{1, 65, 1}, ImpactCase{1, 10, 0}})
    EXPECT_FALSE(check(of));
}

}  // namespace
