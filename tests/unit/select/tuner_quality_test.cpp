// Tests how well the tuner chooses, and the cost of its trials, on simulated ranks with noisy costs.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/simulated_site.hpp"

namespace tutti::select {
namespace {

using support::k_ms;
using support::Noise;
using support::SimulatedSite;
using support::some_candidates;

Sample blocking(uint64_t ns) {
  return {.start_ns = ns};
}

/// Paper 001 §4.4: one way of making progress was fast in most processes and terrible in a few, won the vote,
/// and ruined the run. The slowest rank decides, so it must lose.
TEST(TunerQuality, FastOnMostRanksAndTerribleOnAFewLoses) {
  constexpr size_t k_ranks = 16;
  Noise noise(1, 0.03, 0.01);
  const auto cost = [&](uint32_t candidate, size_t rank, uint64_t) {
    double ns = 10 * k_ms;                                          // 0: ring
    if (candidate == 1) ns = 14 * k_ms;                             // native
    if (candidate == 2) ns = rank % 8 == 3 ? 60 * k_ms : 5 * k_ms;  // fully subscribed
    if (candidate == 3) ns = 8.5 * k_ms;
    return blocking(noise.around(ns));
  };
  SimulatedSite site(k_ranks, some_candidates(4, 1), {}, cost);
  site.run(3000);
  EXPECT_EQ(site.choice(), 3u) << site.tuner().reason();
  EXPECT_TRUE(site.tuner().report_of(2).is_dropped);
  EXPECT_GT(site.tuner().report_of(2).median_ns, 50 * k_ms) << "its slowest rank counts";
}

/// The same, where in every call another rank is the one that suffers: no rank sees it often.
TEST(TunerQuality, TerribleOnAnotherRankEveryTimeLoses) {
  constexpr size_t k_ranks = 32;
  Noise noise(2, 0.03, 0);
  const auto cost = [&](uint32_t candidate, size_t rank, uint64_t call) {
    double ns = candidate == 1 ? 14 * k_ms : 10 * k_ms;
    if (candidate == 2) ns = call * 7 % k_ranks == rank ? 40 * k_ms : 5 * k_ms;
    return blocking(noise.around(ns));
  };
  SimulatedSite site(k_ranks, some_candidates(3, 1), {}, cost);
  site.run(3000);
  EXPECT_EQ(site.choice(), 0u);
  EXPECT_TRUE(site.tuner().report_of(2).is_dropped);
}

/// Ranks arrive at a call spread over 20 ms. With any candidate, the first and the last of them leave together, so
/// that the slowest rank's time is the same; but with candidate 0 all the others wait for the last one, too, and with
/// the native MPI only for the root.
TEST(TunerQuality, WhereRanksArriveAtDifferentTimesThatOneWinsInWhichFewerWait) {
  constexpr size_t k_ranks = 8;
  const auto cost = [&](uint32_t candidate, size_t rank, uint64_t call) {
    std::array<double, k_ranks> arrival;
    for (size_t r = 0; r < k_ranks; ++r) arrival[r] = base::as_fraction(call * k_ranks + r) * 20 * k_ms;
    const auto [first, last] = std::minmax_element(arrival.begin(), arrival.end());
    const bool waits_for_last = candidate == 0 || arrival[rank] == *first;
    const double exit = waits_for_last ? *last : std::max(arrival[0], arrival[rank]);
    return blocking(static_cast<uint64_t>(exit - arrival[rank] + 0.5 * k_ms));
  };
  SimulatedSite site(k_ranks, some_candidates(2, 1), {}, cost);
  site.run(3000);
  EXPECT_EQ(site.choice(), 1u) << site.tuner().reason();
}

/// Less for the slowest rank, more for all the others: where nothing makes them wait for it anyway, the
/// program gains nothing.
TEST(TunerQuality, WhatAllOthersPayForIsNotFaster) {
  Noise noise(3, 0.03, 0);
  const auto cost = [&](uint32_t candidate, size_t rank, uint64_t) {
    const double slowest = candidate == 0 ? 10 : 9, others = candidate == 0 ? 4 : 8;
    return blocking(noise.around((rank == 0 ? slowest : others) * k_ms));
  };
  SimulatedSite site(8, some_candidates(2, 0), {}, cost);
  site.run(3000);
  EXPECT_EQ(site.choice(), 0u) << site.tuner().reason();
}

TEST(TunerQuality, TotalsOfManyRanksKeepTheirRatios) {
  const uint64_t long_calls = (uint64_t{1} << 20) * k_most_cost_ns;  // a million ranks, the longest calls
  EXPECT_EQ(ratio_of(long_calls, long_calls / 2), 2 * k_one);
  EXPECT_EQ(ratio_of(long_calls / 4, long_calls), k_one / 4);
  EXPECT_EQ(ratio_of(3, 4), k_one * 3 / 4);
  EXPECT_EQ(ratio_of(UINT64_MAX, 1), k_most_ratio);
}

/// One cell of the grid: what each candidate costs the slowest rank.
struct Cell {
  std::vector<double> ns;
  size_t native = 1;
  double spread = 0;
  double outside = 0;  // computation between calls, as a part of the first candidate's cost
  double hiccups = 0;
};

struct Variety {
  double least_spread, most_spread;  // of the calls of a candidate
  double most_range;                 // candidates differ by up to e^this
};

Cell random_cell(uint32_t seed, Variety variety) {
  Noise random(seed, 0, 0);
  Cell cell;
  const auto count = static_cast<size_t>(random.uniform(3, 8.99));
  const double level = std::pow(10, random.uniform(4.7, 7.5));  // 50 us to 30 ms
  const double range = random.uniform(0.1, variety.most_range);
  for (size_t i = 0; i < count; ++i) cell.ns.push_back(level * std::exp(random.uniform(0, range)));
  cell.native = static_cast<size_t>(random.uniform(0, static_cast<double>(count) - 0.01));
  cell.spread = random.uniform(variety.least_spread, variety.most_spread);
  cell.outside = random.uniform(0, 3);
  cell.hiccups = random.uniform(0, 0.03);
  return cell;
}

struct Outcome {
  double to_best = 0, to_native = 0;  // cost of the final choice
  double loss = 0;                    // of the elapsed time
  double whole_to_native = 0;         // the run from start to end, to one with the native MPI all the time
};

Outcome outcome_of(const Cell& cell, uint32_t seed, uint64_t calls) {
  Noise noise(seed, cell.spread, cell.hiccups);
  std::vector<bool> was_called(cell.ns.size(), false);
  constexpr size_t k_ranks = 4;
  const auto cost = [&](uint32_t candidate, size_t rank, uint64_t) {
    // The slowest rank is not always the same, the others are faster; the first call makes plans.
    const double part = rank == 0 ? 1 : 0.8;
    const double first = was_called[candidate] ? 1 : 2;
    if (rank + 1 == k_ranks) was_called[candidate] = true;
    return blocking(noise.around(cell.ns[candidate] * part * first));
  };
  SimulatedSite site(k_ranks, some_candidates(cell.ns.size(), cell.native), {}, cost);
  site.outside_ns = static_cast<uint64_t>(cell.outside * cell.ns[0]);
  site.run(calls);

  Outcome outcome;
  double total = 0, loss = 0;
  uint32_t running = 0;
  for (const ServedCall& served_call : site.served_calls()) {
    if (!served_call.is_trial) running = served_call.candidate;
    const double ns = cell.ns[served_call.candidate];
    total += ns;
    if (served_call.is_trial) loss += std::max(0.0, ns - cell.ns[running]);
  }
  const double outside = static_cast<double>(calls * site.outside_ns);
  const double native = cell.ns[cell.native];
  outcome.loss = loss / (total + outside);
  outcome.to_best = cell.ns[site.choice()] / *std::min_element(cell.ns.begin(), cell.ns.end());
  outcome.to_native = cell.ns[site.choice()] / native;
  outcome.whole_to_native = (total + outside) / (native * static_cast<double>(calls) + outside);
  return outcome;
}

/// Number of choices within 5 % of the best.
uint32_t good_of(uint32_t cells, Variety variety, uint64_t calls, double most_to_native) {
  uint32_t good = 0;
  double worst_loss = 0, worst_to_native = 0;
  for (uint32_t seed = 0; seed < cells; ++seed) {
    const Outcome outcome = outcome_of(random_cell(seed, variety), seed, calls);
    good += outcome.to_best <= 1.05 ? 1 : 0;
    worst_loss = std::max(worst_loss, outcome.loss);
    worst_to_native = std::max(worst_to_native, outcome.to_native);
    EXPECT_LE(outcome.loss, 0.02) << "cell " << seed;
    EXPECT_LE(outcome.to_native, most_to_native) << "cell " << seed;
    if (outcome.to_best > 1.05) std::printf("cell %u: %.3f of the best\n", seed, outcome.to_best);
  }
  std::printf("%u of %u cells within 5 %%; worst loss %.2f %%, worst to native %.3f\n", good, cells,
              100 * worst_loss, worst_to_native);
  return good;
}

TEST(TunerQuality, OverAGridOfRandomCosts) {
  constexpr uint32_t k_cells = test::samples(300U);
  EXPECT_GE(good_of(k_cells, {.least_spread = 0.01, .most_spread = 0.08, .most_range = 2.5}, 6000, 1.15),
            k_cells * 95 / 100);
}

/// Like a machine with shared cores: single calls differ more than candidates do.
TEST(TunerQuality, OverAGridOfNoisyCostsInShortRuns) {
  constexpr uint32_t k_cells = test::samples(300U);
  EXPECT_GE(good_of(k_cells, {.least_spread = 0.1, .most_spread = 0.3, .most_range = 1}, 1200, 1.25),
            k_cells * 90 / 100);
}

}  // namespace
}  // namespace tutti::select
