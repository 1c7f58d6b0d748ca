// Tests the cost of a call: all of it if the work is steady, equal work if it varies.

#include "select/measure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/support/simulated_site.hpp"

namespace tutti::select {
namespace {

std::vector<uint64_t> costs(const std::vector<Trial>& trials) {
  std::vector<uint64_t> result(trials.size());
  costs_of(trials, result);
  return result;
}

Trial trial(uint32_t candidate, uint64_t start_ns, uint64_t between_ns, uint64_t wait_ns) {
  return {candidate, true, {start_ns, between_ns, wait_ns}};
}

uint64_t median_cost(const std::vector<Trial>& trials, uint32_t candidate) {
  const auto all = costs(trials);
  std::vector<uint64_t> own;
  for (size_t i = 0; i < trials.size(); ++i)
    if (trials[i].candidate == candidate) own.push_back(all[i]);
  std::sort(own.begin(), own.end());
  return own[own.size() / 2];
}

TEST(Measure, SteadyWorkCostsItsTotal) {
  EXPECT_EQ(costs({trial(0, 10, 1000, 500), trial(1, 10, 1010, 5), trial(0, 12, 1001, 499)}),
            (std::vector<uint64_t>{1510, 1025, 1512}));
}

TEST(Measure, ASlowedComputationCounts) {
  std::vector<Trial> trials;
  for (int i = 0; i < 6; ++i) {
    trials.push_back(trial(0, 10'000, 1'000'000, 300'000));  // does not overlap
    trials.push_back(trial(1, 10'000, 1'600'000, 0));        // hides all, and disturbs
  }
  EXPECT_GT(median_cost(trials, 1), median_cost(trials, 0));
}

TEST(Measure, WhatHasNotCompletedIsUnknown) {
  std::vector<Trial> trials(3);
  trials[1] = trial(0, 5, 0, 0);
  EXPECT_EQ(costs(trials), (std::vector<uint64_t>{k_unknown_cost, 5, k_unknown_cost}));
  EXPECT_TRUE(costs({}).empty());
}

TEST(Measure, CostsAreCut) {
  EXPECT_EQ(costs({trial(0, UINT64_MAX / 4, UINT64_MAX / 4, UINT64_MAX / 4)})[0], k_most_cost_ns);
}

/// Twelve calls each of two candidates; the work of a call is random.
std::vector<Trial> varying_work(std::mt19937* random, double slow_down) {
  std::vector<Trial> trials;
  std::uniform_real_distribution<double> work(5e6, 50e6);
  for (int i = 0; i < 6; ++i) {
    trials.push_back(trial(0, 1'000'000, static_cast<uint64_t>(work(*random)), 10'000'000));
    trials.push_back(trial(1, 1'000'000, static_cast<uint64_t>(work(*random) * slow_down), 500'000));
  }
  return trials;
}

TEST(Measure, VaryingWorkDoesNotDecide) {
  std::mt19937 random(1);
  int right = 0;
  constexpr int k_rounds = 200;
  for (int i = 0; i < k_rounds; ++i) {
    const auto trials = varying_work(&random, 1);
    right += median_cost(trials, 1) < median_cost(trials, 0) ? 1 : 0;
  }
  EXPECT_GE(right, k_rounds * 95 / 100);
}

TEST(Measure, AGreatSlowDownShowsInVaryingWorkToo) {
  std::mt19937 random(2);
  int right = 0;
  constexpr int k_rounds = 200;
  for (int i = 0; i < k_rounds; ++i) {
    const auto trials = varying_work(&random, 6);
    right += median_cost(trials, 1) > median_cost(trials, 0) ? 1 : 0;
  }
  EXPECT_GE(right, k_rounds * 80 / 100);
}

/// Whether overlapping pays depends on the computation between (paper 001 §4.3).
TEST(Measure, TheChoiceFollowsTheComputationBetween) {
  const auto choice_with = [](double computation_ms) {
    support::Noise noise(3, 0.03, 0.01);
    const auto cost = [&](uint32_t candidate, size_t, uint64_t) -> Sample {
      const double work = noise.around(computation_ms * 1e6), transfer = noise.around(10e6);
      if (candidate == 1) return {100'000, static_cast<uint64_t>(work), static_cast<uint64_t>(transfer)};
      const double slowed = work * 1.25;  // the thread shares the cores
      return {100'000, static_cast<uint64_t>(slowed),
              static_cast<uint64_t>(std::max(0.0, transfer - slowed))};
    };
    support::SimulatedSite site(4, support::some_candidates(2, 1), {}, cost);
    site.run(4000);
    return site.choice();
  };
  EXPECT_EQ(choice_with(10), 0u) << "hides 10 ms for 2.5 ms";
  EXPECT_EQ(choice_with(80), 1u) << "would pay 20 ms to hide 10";
}

}  // namespace
}  // namespace tutti::select
