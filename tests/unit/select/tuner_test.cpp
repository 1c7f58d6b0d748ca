// The life of a call site: when it explores, what its budget permits, what it notices later.

#include "select/tuner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/simulated_site.hpp"

namespace tutti::select {
namespace {

using support::k_ms;
using support::Noise;
using support::SimulatedSite;
using support::some_candidates;

/// Costs by candidate and call, the same on all ranks except for noise.
SimulatedSite::Cost noisy(Noise* noise, std::function<double(uint32_t, uint64_t)> ns) {
  return [noise, ns = std::move(ns)](uint32_t candidate, size_t, uint64_t call) {
    return Sample{.start_ns = noise->around(ns(candidate, call))};
  };
}

uint64_t trials_in(const SimulatedSite& site) {
  uint64_t trials = 0;
  for (const ServedCall& served_call : site.served_calls()) trials += served_call.candidate != 0 ? 1 : 0;
  return trials;
}

TEST(Tuner, OneCandidateOrNoBudgetOrFewCallsMeanNoTrials) {
  Noise noise(1, 0, 0);
  const auto run = [&](size_t candidates, const TunerOptions& options) {
    SimulatedSite site(2, some_candidates(candidates, 0), options,
                       noisy(&noise, [](uint32_t, uint64_t) { return k_ms; }));
    site.run(500);
    EXPECT_EQ(site.agreements(), 0u);
    EXPECT_EQ(trials_in(site), 0u);
  };
  run(1, {});
  run(4, {.budget_permille = 0});
  run(4, {.expected_calls = k_least_expected_calls - 1});
}

TEST(Tuner, NothingButTheNativeMpiIsTriedBeforeTheBudgetIsEarned) {
  Noise noise(2, 0.02, 0);
  SimulatedSite site(2, some_candidates(4, 1), {},
                     noisy(&noise, [](uint32_t, uint64_t) { return 10 * k_ms; }));
  site.run(20);
  for (const ServedCall& served_call : site.served_calls()) EXPECT_LE(served_call.candidate, 1u);
  site.run(1000);
  EXPECT_GT(trials_in(site), 50u);
}

/// The calls that the first choice serves, of a site where it takes `times` as long as the native MPI.
uint64_t calls_of_first_choice(double times, uint64_t calls, double spread, uint32_t seed) {
  Noise noise(seed, spread, 0);
  SimulatedSite site(4, some_candidates(4, 1), {.may_wait = true},
                     noisy(&noise, [=](uint32_t c, uint64_t) { return (c == 1 ? 1 : times) * 0.05 * k_ms; }));
  site.run(calls);
  return calls - trials_in(site);
}

TEST(Tuner, TheNativeMpiHasItsCallsBackAfterTwoBadOnes) {
  for (uint32_t seed = 0; seed < 20; ++seed)
    for (const double times : {2.0, 12.0, 63.0})
      EXPECT_LE(calls_of_first_choice(times, 30, 0.05, seed), 4u) << times << " times, seed " << seed;
  EXPECT_LE(calls_of_first_choice(63, 20'000, 0.05, 1), 6u) << "it stays so";
}

TEST(Tuner, ChanceDoesNotGiveTheNativeMpiItsCallsBack) {
  uint32_t given_up = 0;
  for (uint32_t seed = 0; seed < 100; ++seed)
    if (calls_of_first_choice(0.7, 30, 0.3, seed) < 20) ++given_up;
  EXPECT_LE(given_up, 5u);
}

TEST(Tuner, WhatTakesTenTimesAsLongIsCalledOnce) {
  Noise noise(19, 0.05, 0);
  SimulatedSite site(4, some_candidates(4, 1), {},
                     noisy(&noise, [](uint32_t c, uint64_t) { return (c == 2 ? 12 : 1) * k_ms; }));
  site.run(3000);
  EXPECT_EQ(std::ranges::count(site.served_calls(), 2u, &ServedCall::candidate), 1);
}

TEST(Tuner, AHintOfManyCallsLetsItExploreSooner) {
  Noise noise(3, 0.02, 0);
  const auto calls_until_switch = [&](uint64_t expected) {
    SimulatedSite site(2, some_candidates(6, 1), {.expected_calls = expected},
                       noisy(&noise, [](uint32_t c, uint64_t) {
                         return (c == 5 ? 5 : c < 2 ? 10 : 60) * k_ms;
                       }));
    site.run(2000);
    EXPECT_EQ(site.choice(), 5u);
    const auto& events = site.tuner().scheduler().switches();
    return std::find_if(events.begin(), events.end(), [](const Switch& event) { return event.to == 5; })
        ->call;
  };
  EXPECT_LT(2 * calls_until_switch(100'000), calls_until_switch(0));
}

TEST(Tuner, ExploresNoMoreWhenTheHintSaysThatTheEndIsNear) {
  Noise noise(4, 0.02, 0);
  SimulatedSite site(2, some_candidates(4, 1), {.expected_calls = 1000},
                     noisy(&noise, [](uint32_t, uint64_t) { return 10 * k_ms; }));
  site.run(1000);
  EXPECT_GT(trials_in(site), 0u);
  for (uint64_t call = 850; call < 1000; ++call) EXPECT_FALSE(site.served_calls()[call].is_trial) << call;
}

TEST(Tuner, ATerribleCandidateIsCalledOnlyWhenItHasBeenPaidFor) {
  Noise noise(5, 0.02, 0);
  SimulatedSite site(4, some_candidates(4, 1), {},
                     noisy(&noise, [](uint32_t c, uint64_t) { return c == 2 ? 2000 * k_ms : 10 * k_ms; }));
  // Its first call comes as a surprise; the second one waits until the run has earned it.
  std::vector<uint64_t> calls;
  site.run(60'000);
  for (const ServedCall& served_call : site.served_calls())
    if (served_call.candidate == 2) calls.push_back(served_call.call);
  ASSERT_GE(calls.size(), 2u);
  EXPECT_GT((calls[1] - calls[0]) * 10 * k_ms * 0.02, 1.9 * 1990 * k_ms) << calls[0] << ' ' << calls[1];
  EXPECT_LE(site.tuner().scheduler().loss_ns(), site.tuner().scheduler().elapsed_ns() / 50);
}

TEST(Tuner, TinyCallsAreNotDisturbedByAgreements) {
  Noise noise(6, 0.05, 0);
  SimulatedSite site(2, some_candidates(5, 1), {}, noisy(&noise, [](uint32_t, uint64_t) { return 3000.0; }));
  site.run(200'000);
  EXPECT_LE(static_cast<double>(site.agreements()) * 50'000, 0.02 * static_cast<double>(site.elapsed_ns()));
  EXPECT_GT(site.agreements(), 3u);
}

TEST(Tuner, NoticesThatTheChoiceBecameSlow) {
  Noise noise(7, 0.03, 0.01);
  constexpr uint64_t k_change = 30'000;  // when all is explored
  // First 2 is the best; then the network is shared and 3 is.
  SimulatedSite site(4, some_candidates(4, 1), {}, noisy(&noise, [](uint32_t c, uint64_t call) {
                       const double before[] = {10, 12, 8, 11}, after[] = {20, 24, 30, 15};
                       return (call < k_change ? before : after)[c] * k_ms;
                     }));
  site.run(k_change);
  EXPECT_EQ(site.choice(), 2u);
  EXPECT_FALSE(site.tuner().scheduler().is_exploring());
  site.run(20'000);
  EXPECT_EQ(site.choice(), 3u) << site.tuner().reason();
  EXPECT_GE(site.tuner().scheduler().switches().back().call, k_change);
}

TEST(Tuner, ExploresAgainWhenTheLevelHasChanged) {
  Noise noise(18, 0.03, 0.01);
  constexpr uint64_t k_change = 30'000;
  SimulatedSite site(4, some_candidates(2, 1), {}, noisy(&noise, [](uint32_t c, uint64_t call) {
                       return (call < k_change ? 1.0 : 3.0) * (c == 0 ? 10 : 14) * k_ms;
                     }));
  site.run(k_change);
  EXPECT_FALSE(site.tuner().scheduler().is_exploring());
  site.run(20'000);
  EXPECT_EQ(site.choice(), 0u) << site.tuner().reason();
  const auto& events = site.tuner().scheduler().switches();
  EXPECT_TRUE(
      std::any_of(events.begin(), events.end(), [](const Switch& e) { return e.why == Switch::Why::drift; }));
}

TEST(Tuner, AnotherLevelDoesNotEndTheExploration) {
  Noise noise(17, 0.03, 0.01);
  // The machine is busy in served_calls, which favours no candidate.
  SimulatedSite site(4, some_candidates(4, 1), {}, noisy(&noise, [](uint32_t c, uint64_t call) {
                       const double ms[] = {10, 12, 8, 11};
                       return (call / 150 % 2 == 0 ? 1.0 : 4.0) * ms[c] * k_ms;
                     }));
  site.run(15'000);
  EXPECT_EQ(site.choice(), 2u) << site.tuner().reason();
}

TEST(Tuner, NoticesThatTheNativeMpiBecameBetter) {
  Noise noise(8, 0.03, 0.01);
  constexpr uint64_t k_change = 8000;
  SimulatedSite site(4, some_candidates(4, 1), {}, noisy(&noise, [](uint32_t c, uint64_t call) {
                       return c == 1 ? (call < k_change ? 14 : 6) * k_ms : 10 * k_ms;
                     }));
  site.run(k_change);
  EXPECT_NE(site.choice(), 1u);
  site.run(20'000);
  EXPECT_EQ(site.choice(), 1u);
}

TEST(Tuner, NoticesThatADroppedCandidateBecameGood) {
  Noise noise(9, 0.03, 0);
  constexpr uint64_t k_change = 6000;
  SimulatedSite site(4, some_candidates(5, 1), {}, noisy(&noise, [](uint32_t c, uint64_t call) {
                       return c == 3 ? (call < k_change ? 25 : 6) * k_ms : 10 * k_ms;
                     }));
  site.run(k_change);
  EXPECT_NE(site.choice(), 3u);
  EXPECT_TRUE(site.tuner().report_of(3).is_dropped);
  site.run(40'000);
  EXPECT_EQ(site.choice(), 3u);
}

TEST(Tuner, WorkThatGrowsSlowlyDoesNotMislead) {
  Noise noise(10, 0.03, 0);
  // All candidates slow down together by half over the run: 2 stays the best by 10 %.
  SimulatedSite site(4, some_candidates(4, 1), {}, noisy(&noise, [](uint32_t c, uint64_t call) {
                       const double ns[] = {10, 12, 9, 11};
                       return ns[c] * k_ms * (1 + static_cast<double>(call) / 20'000);
                     }));
  site.run(10'000);
  EXPECT_EQ(site.choice(), 2u);
}

TEST(Tuner, AnUneventfulSiteSettlesAndWatchesEverMoreRarely) {
  Noise noise(11, 0.03, 0.01);
  SimulatedSite site(2, some_candidates(4, 1), {},
                     noisy(&noise, [](uint32_t c, uint64_t) { return (10 + 4 * c) * k_ms; }));
  site.run(20'000);
  EXPECT_FALSE(site.tuner().scheduler().is_exploring());
  const size_t before = site.agreements();
  site.run(20'000);
  EXPECT_LT(site.agreements() - before, 40u);
  EXPECT_GT(site.agreements() - before, 5u);
  EXPECT_EQ(site.choice(), 0u);
}

TEST(Tuner, CallsThatOverlapAreMeasuredToo) {
  Noise noise(12, 0.03, 0);
  SimulatedSite site(3, some_candidates(4, 1), {},
                     noisy(&noise, [](uint32_t c, uint64_t) { return (12 - 2 * c) * k_ms; }));
  site.in_flight = 20;  // each completes only when twenty others have begun
  site.run(6000);
  EXPECT_EQ(site.choice(), 3u);
}

TEST(Tuner, CallsThatNeverCompleteEndTheTrials) {
  Noise noise(13, 0.03, 0);
  SimulatedSite site(2, some_candidates(4, 1), {},
                     noisy(&noise, [](uint32_t c, uint64_t) { return (12 - 2 * c) * k_ms; }));
  site.in_flight = 1 << 30;
  site.run(60'000);
  EXPECT_LE(site.agreements(), 20u);
  EXPECT_EQ(site.choice(), 0u);
}

TEST(Tuner, SaysWhy) {
  Noise noise(14, 0.02, 0);
  SimulatedSite site(2, some_candidates(3, 1), {},
                     noisy(&noise, [](uint32_t c, uint64_t) { return c == 1 ? 5 * k_ms : 10 * k_ms; }));
  EXPECT_EQ(site.tuner().reason(), "the first choice, while others are tried");
  site.run(3000);
  const std::string reason = site.tuner().reason();
  for (const char* part : {" µs, bruck ", " % less), ", " trials"})
    EXPECT_NE(reason.find(part), std::string::npos) << reason;
  const CandidateReport native = site.tuner().report_of(1);
  EXPECT_TRUE(native.candidate.is_native());
  EXPECT_NEAR(static_cast<double>(native.median_ns), 5 * k_ms, 0.4 * k_ms);
}

}  // namespace
}  // namespace tutti::select
