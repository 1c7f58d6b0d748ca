// All ranks use the same candidate at the same call, whatever each of them measures and whenever the
// reductions finish. SimulatedSite compares every call of every rank.

#include <gtest/gtest.h>

#include "tests/support/simulated_site.hpp"

namespace tutti::select {
namespace {

using support::SimulatedSite;
using support::some_candidates;

/// Costs that have nothing to do with each other: every rank, every call.
SimulatedSite::Cost wild_costs(std::mt19937* random) {
  return [random](uint32_t, size_t, uint64_t) {
    const auto up_to = [&](uint64_t bits) { return (*random)() >> (32 - bits % 32); };
    return Sample{.start_ns = up_to(1 + (*random)() % 31), .between_ns = up_to(20), .wait_ns = up_to(24)};
  };
}

TEST(TunerAgreement, RanksThatRunAheadOfEachOtherAndMeasureWhateverTheyLike) {
  uint64_t trials = 0, agreements = 0, switches = 0, waits = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const size_t ranks = 2 + random() % 7;
    const size_t count = 2 + random() % 7;
    TunerOptions options{.budget_permille = static_cast<uint32_t>(1 + random() % 1000), .seed = seed};
    if (seed % 4 == 0) options.expected_calls = 1000 + random() % 3000;
    SimulatedSite site(ranks, some_candidates(count, random() % count), options, wild_costs(&random));
    site.in_flight = random() % 4;
    site.outside_ns = random() % 100'000;
    for (int i = 0; i < 20'000; ++i) {
      const size_t rank = random() % ranks;
      if (random() % 8 == 0) site.deliver(rank);  // a reduction may finish early, on some ranks
      waits += site.step(rank) ? 0 : 1;
      if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
    }
    for (const ServedCall& served_call : site.served_calls()) trials += served_call.is_trial ? 1 : 0;
    agreements += site.agreements();
    switches += site.tuner().scheduler().switches().size();
  }
  // The property is not empty.
  EXPECT_GT(trials, 10'000u);
  EXPECT_GT(agreements, 1000u);
  EXPECT_GT(switches, 60u);
  EXPECT_GT(waits, 100u) << "ranks did wait for what others had not given yet";
}

TEST(TunerAgreement, WhatIsAgreedTakesEffectAtItsCallHoweverEarlyItIsThere) {
  const auto candidates = some_candidates(3, 1);
  Tuner early(candidates, {}), late(candidates, {});
  uint64_t now = 0;
  std::optional<RoundMeasurements> pending;
  for (int call = 0; call < 5000; ++call) {
    if (late.must_agree()) {
      ASSERT_TRUE(pending);
      late.agreed(*pending);
      pending.reset();
    }
    ASSERT_FALSE(early.must_agree());
    const auto mine = early.next_measured(now);
    ASSERT_EQ(late.next_measured(now).has_value(), mine.has_value());
    if (mine) {
      pending = mine->measurements(nullptr);
      early.agreed(*pending);
    }
    const ServedCall a = early.begin(now), b = late.begin(now);
    ASSERT_EQ(a.candidate, b.candidate) << "call " << call;
    const Sample sample{.start_ns = 1'000'000 + 200'000 * ((a.candidate + 2) % 3)};
    early.end(a, sample);
    late.end(b, sample);
    now += sample.start_ns;
  }
  EXPECT_EQ(early.scheduler().choice(), 1u);
  EXPECT_EQ(late.scheduler().choice(), 1u);
}

RoundMeasurements all_alike(uint64_t now) {
  RoundMeasurements all{.elapsed = now};
  all.inside.most.fill(1000);
  all.inside.total.fill(4000);
  return all;
}

TEST(TunerAgreement, ThereIsAtMostOneReductionUnderWay) {
  Tuner tuner(some_candidates(4, 1), {});
  uint64_t now = 0;
  int rounds = 0;
  bool is_under_way = false;
  for (int call = 0; call < 3000; ++call) {
    if (tuner.must_agree()) {
      ASSERT_TRUE(is_under_way);
      tuner.agreed(all_alike(now));
      is_under_way = false;
    }
    if (tuner.next_measured(now)) {
      ASSERT_FALSE(is_under_way);
      is_under_way = true;
      ++rounds;
    }
    ASSERT_EQ(tuner.is_agreeing(), is_under_way);
    ASSERT_FALSE(tuner.next_measured(now)) << "once per round";
    tuner.end(tuner.begin(now), {.start_ns = 1000});
    now += 1'000'000;
  }
  EXPECT_GT(rounds, 5);
}

}  // namespace
}  // namespace tutti::select
