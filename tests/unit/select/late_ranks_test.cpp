// Call sites whose ranks come at different times: what is compared, and which candidates are tried.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "select/arrival_profile.hpp"
#include "tests/support/simulated_site.hpp"

namespace tutti::select {
namespace {

using arrival::Waits;
using support::k_ms;
using support::SimulatedSite;
using support::some_candidates;

constexpr size_t k_all = 8;

/// The arrival times of ranks at a call, and the time that each candidate takes from its earliest start.
struct Scene {
  Waits waits = Waits::for_all;
  double spread_ns = 20 * k_ms;      // arrivals in [0, spread]
  std::vector<double> transfer_ns;   // by candidate
  std::vector<double> held_up_part;  // by candidate: of the lateness of others, what a rank waits for in vain
  uint32_t straggler = UINT32_MAX;   // always the last one
  uint32_t seed = 1;

  std::vector<double> arrivals(uint64_t call) const {
    std::mt19937 random(seed * 7919 + static_cast<uint32_t>(call));
    std::uniform_real_distribution<double> lateness(0, spread_ns);
    std::vector<double> come(k_all);
    for (double& one : come) one = lateness(random);
    if (straggler != UINT32_MAX) come[straggler] = 1.5 * spread_ns;
    return come;
  }

  Sample operator()(uint32_t candidate, size_t rank, uint64_t call) const {
    const std::vector<double> come = arrivals(call);
    const double last = *std::ranges::max_element(come);
    double ready = come[rank];
    if (waits == Waits::for_all) ready = last;
    if (waits == Waits::for_root) ready = std::max(come[0], come[rank]);
    ready += (last - ready) * held_up_part[candidate] + transfer_ns[candidate];
    const auto began = static_cast<uint64_t>(k_ms * 1000 * static_cast<double>(call + 1) + come[rank]);
    return {.start_ns = static_cast<uint64_t>(ready - come[rank]), .began_ns = began, .is_root = rank == 0};
  }
};

TunerOptions with(Waits waits, uint32_t disabled = 0) {
  return {.waits = waits, .disabled = disabled};
}

TEST(LateRanks, WhatNobodyCanAvoidIsNoCostOfACandidate) {
  // Half of the transfer time, and a twentieth of the time inside.
  const Scene scene{.transfer_ns = {1 * k_ms, 0.5 * k_ms}, .held_up_part = {0, 0}};
  SimulatedSite site(k_all, some_candidates(2, 0), with(Waits::for_all), scene);
  site.run(400);
  EXPECT_EQ(site.choice(), 1u);
  const Ratio ratio = site.tuner().scheduler().switches().back().ratio;
  EXPECT_GT(ratio, k_one * 4 / 10);
  EXPECT_LT(ratio, k_one * 6 / 10);
}

TEST(LateRanks, WithoutAClockTheTimeInsideIsCompared) {
  const Scene scene{.transfer_ns = {1 * k_ms, 0.5 * k_ms}, .held_up_part = {0, 0}};
  SimulatedSite site(k_all, some_candidates(2, 0), with(Waits::for_all), scene);
  site.clock = {};
  site.run(400);
  EXPECT_FALSE(site.tuner().scheduler().arrivals().is_late());
}

TEST(LateRanks, CandidatesForThemSleepUntilTheyHoldUpOthers) {
  for (const bool is_late : {false, true}) {
    const Scene scene{.waits = Waits::for_root,
                      .spread_ns = is_late ? 20 * k_ms : 0.05 * k_ms,
                      .transfer_ns = {0.5 * k_ms, 1 * k_ms, 0.7 * k_ms},
                      .held_up_part = {0.5, 0.5, 0}};
    SimulatedSite site(k_all, some_candidates(3, 1), with(Waits::for_root, 1u << 2), scene);
    site.run(1000);
    EXPECT_EQ(site.choice(), is_late ? 2u : 0u);
    const auto is_of_2 = [](const ServedCall& served_call) { return served_call.candidate == 2; };
    EXPECT_EQ(std::ranges::any_of(site.served_calls(), is_of_2), is_late);
  }
}

TEST(LateRanks, TheyAreWokenWithinAHundredCalls) {
  const Scene scene{
      .waits = Waits::for_root, .transfer_ns = {0.5 * k_ms, 0.7 * k_ms}, .held_up_part = {0.5, 0}};
  SimulatedSite site(k_all, some_candidates(2, 0), with(Waits::for_root, 1u << 1), scene);
  site.outside_ns = 20'000'000;
  site.run(200);
  ASSERT_EQ(site.choice(), 1u);
  EXPECT_LE(site.tuner().scheduler().switches().back().call, 150u);
}

/// Agents that take the computation's cores: calls are short beyond the waiting for the last rank, which comes later.
TEST(LateRanks, WhoMakesThemLaterIsGivenUp) {
  const Scene before{
      .waits = Waits::for_root, .transfer_ns = {0.5 * k_ms, 0.5 * k_ms}, .held_up_part = {0.5, 0}};
  SimulatedSite* computing = nullptr;
  SimulatedSite site(k_all, some_candidates(2, 0), with(Waits::for_root, 1u << 1),
                     [&](uint32_t candidate, size_t rank, uint64_t call) {
                       computing->outside_ns = candidate == 1 ? 40'000'000 : 10'000'000;
                       return before(candidate, rank, call);
                     });
  computing = &site;
  site.run(2000);
  EXPECT_EQ(site.choice(), 0u);
  EXPECT_LT(std::ranges::count(site.served_calls(), 1u, &ServedCall::candidate), 300);
}

TEST(LateRanks, LooksInVainBecomeAsRareAsTheyHaveBeenInVain) {
  const Scene even{.waits = Waits::for_root,
                   .spread_ns = 0.01 * k_ms,
                   .transfer_ns = {0.5 * k_ms, 0.7 * k_ms},
                   .held_up_part = {0, 0}};
  SimulatedSite site(k_all, some_candidates(2, 0), with(Waits::for_root, 1u << 1), even);
  site.run(40'000);
  EXPECT_GE(site.agreements(), 5u);
  EXPECT_LE(site.agreements(), 14u);
}

TEST(LateRanks, WhoCannotServeStaysAsleep) {
  const Scene scene{
      .waits = Waits::for_root, .transfer_ns = {0.5 * k_ms, 0.7 * k_ms}, .held_up_part = {0.5, 0}};
  SimulatedSite site(k_all, some_candidates(2, 0), with(Waits::for_root, 1u << 1), scene);
  site.can_serve = false;
  site.run(20'000);
  EXPECT_EQ(site.choice(), 0u);
  EXPECT_FALSE(site.tuner().wants_candidates());
}

TEST(LateRanks, ADecisionForThemIsGivenUpWhenTheyComeTogether) {
  const Scene late{.waits = Waits::for_root, .transfer_ns = {0.5 * k_ms, 2 * k_ms}, .held_up_part = {0.5, 0}};
  Scene even = late;
  even.spread_ns = 0.01 * k_ms;
  SimulatedSite site(k_all, some_candidates(2, 0), with(Waits::for_root, 1u << 1),
                     [&](uint32_t candidate, size_t rank, uint64_t call) {
                       return call < 300 ? late(candidate, rank, call) : even(candidate, rank, call);
                     });
  site.run(300);
  ASSERT_EQ(site.choice(), 1u);
  site.run(2000);
  EXPECT_EQ(site.choice(), 0u);
  const auto& events = site.tuner().scheduler().switches();
  EXPECT_TRUE(std::ranges::any_of(events, [](const Switch& e) { return e.why == Switch::Why::arrivals; }));
}

TEST(LateRanks, AProfileKnowsWhoIsUsuallyLast) {
  Scene scene{.transfer_ns = {1 * k_ms, 2 * k_ms}, .held_up_part = {0, 0}};
  scene.straggler = 5;
  SimulatedSite site(k_all, some_candidates(2, 0), with(Waits::for_all), scene);
  site.run(100);
  const ArrivalProfile& profile = site.tuner().scheduler().arrivals();
  EXPECT_TRUE(profile.is_late());
  EXPECT_EQ(profile.usually_last().rank, 5u);
  EXPECT_EQ(profile.usually_last().percent, 100u);
  EXPECT_GT(profile.spread_ns(), 20 * k_ms);
}

TEST(LateRanks, AlgorithmsForALateRankLearnWhichItIs) {
  std::vector<Candidate> candidates = some_candidates(3, 1);
  candidates[2].choice = algorithm::parse_choice(algorithm::Collective::allreduce, "late_last").value();
  Scene scene{.transfer_ns = {20 * k_ms, 25 * k_ms, 12 * k_ms}, .held_up_part = {0, 0, 0}};
  TunerOptions options = with(Waits::for_all);
  options.for_late_rank = 1u << 2;
  const auto is_disabled = [](const SimulatedSite& site) { return site.tuner().scheduler().is_disabled(2); };
  {
    SimulatedSite site(k_all, candidates, options, scene);
    site.run(300);
    EXPECT_TRUE(is_disabled(site)) << "somebody else is late in every call";
  }
  scene.straggler = 5;
  SimulatedSite site(k_all, candidates, options, [&](uint32_t candidate, size_t rank, uint64_t call) {
    Scene now = scene;
    if (call >= 400) now.straggler = 2;
    return now(candidate, rank, call);
  });
  site.run(400);
  EXPECT_EQ(site.choice(), 2u);
  EXPECT_EQ(to_string(site.tuner().candidate(2)), "late_last:late=5");
  site.run(1500);
  EXPECT_EQ(site.choice(), 2u);
  EXPECT_EQ(to_string(site.tuner().candidate(2)), "late_last:late=2");
}

TEST(LateRanks, ArrivalsAddUpInAnyOrder) {
  std::vector<Measured> ranks;
  for (uint32_t rank = 0; rank < 4; ++rank) {
    Measured one{.count = 2,
                 .rank = rank,
                 .clock = {.offset_ns = 1000 * rank, .error_ns = rank},
                 .waits = Waits::for_root,
                 .has_arrivals = true};
    for (size_t slot = 0; slot < 2; ++slot)
      one.trials[slot] = {.is_known = true,
                          .sample = {.start_ns = 500, .began_ns = 10'000 - 990 * rank, .is_root = rank == 2}};
    if (rank == 3) one.trials[1].is_known = false;
    ranks.push_back(one);
  }
  Arrivals forward, backward;
  for (const Measured& one : ranks) forward.add(one.arrivals());
  std::ranges::reverse(ranks);
  for (const Measured& one : ranks) backward.add(one.arrivals());
  for (const Arrivals& all : {forward, backward}) {
    EXPECT_EQ(all.clock_error, 3u);
    EXPECT_EQ(all.last[0], 10'030u);
    EXPECT_EQ(all.last_rank[0], 3u);
    EXPECT_EQ(all.spread(0), 30u);
    EXPECT_EQ(all.root[0], 10'020u);
    EXPECT_TRUE(all.is_known(0));
    EXPECT_FALSE(all.is_known(1));
  }
  // Rank 0 came 20 ns before the root.
  EXPECT_EQ(ranks.back().measurements(&forward).beyond.most[0], 480u);
  EXPECT_EQ(ranks.back().measurements(&forward).inside.most[0], 500u);
  EXPECT_EQ(ranks.front().measurements(&forward).beyond.most[0], 500u);
  EXPECT_EQ(ranks.front().measurements(&forward).beyond.most[1], k_unknown_cost);
}

}  // namespace
}  // namespace tutti::select
