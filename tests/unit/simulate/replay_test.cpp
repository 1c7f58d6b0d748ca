#include "simulate/replay.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace tutti::simulate {
namespace {

using algorithm::Collective;

constexpr uint64_t k_ms = 1'000'000;  // ns

/// One call of all ranks after another, each with these gaps before it.
Replay::Times replayed(const std::vector<uint64_t>& gaps_ns, const Change& change, int calls = 1,
                       const char* choice = "knomial", bool is_size_known = true) {
  std::vector<uint32_t> ranks(gaps_ns.size());
  std::iota(ranks.begin(), ranks.end(), 0u);
  const std::vector<uint64_t> inside(gaps_ns.size(), 3 * k_ms);
  Replay replay(ranks, Machine{}, change);
  for (int i = 0; i < calls; ++i) {
    const base::Status status = replay.add({.collective = Collective::allreduce,
                                            .bytes = 8,
                                            .members = ranks,
                                            .choice = choice,
                                            .gaps_ns = gaps_ns,
                                            .inside_ns = inside,
                                            .is_size_known = is_size_known});
    EXPECT_TRUE(status) << status.message();
  }
  return replay.times();
}

TEST(Replay, ComputationTakesTheTimeItTook) {
  const Replay::Times times = replayed({5 * k_ms, 5 * k_ms, 5 * k_ms, 5 * k_ms}, {}, 10);
  EXPECT_EQ(times.simulated, 10u);
  EXPECT_NEAR(times.run_ns - times.inside_ns, 50 * k_ms, 1);
  EXPECT_LT(times.inside_ns, k_ms);
}

TEST(Replay, OthersWaitForTheLastOne) {
  const std::vector<uint64_t> gaps = {k_ms, k_ms, k_ms, 9 * k_ms};
  const Replay::Times late = replayed(gaps, {});
  EXPECT_NEAR(late.inside_ns, 6 * k_ms, 0.1 * k_ms);
  const Replay::Times even = replayed(gaps, {.without_lateness = true});
  EXPECT_LT(even.inside_ns, 0.1 * k_ms);
  EXPECT_NEAR(even.run_ns, 3 * k_ms, 0.1 * k_ms);
}

TEST(Replay, TheSameCallOnMoreRanksTakesLonger) {
  const std::vector<uint64_t> gaps(4, k_ms);
  EXPECT_GT(replayed(gaps, {.times = 64}).inside_ns, 2 * replayed(gaps, {}).inside_ns);
}

TEST(Replay, AnotherAlgorithmIsTaken) {
  const std::vector<uint64_t> gaps(16, k_ms);
  Change change;
  change.choices[static_cast<size_t>(Collective::allreduce)] =
      algorithm::parse_choice(Collective::allreduce, "ring").value();
  EXPECT_GT(replayed(gaps, change).inside_ns, 2 * replayed(gaps, {}, 1, "recursive_doubling").inside_ns);
}

TEST(Replay, WhatServedNativelyIsReplacedByTheFastest) {
  const std::vector<uint64_t> gaps(16, k_ms);
  EXPECT_LE(replayed(gaps, {}, 1, "native").inside_ns,
            replayed(gaps, {}, 1, "recursive_doubling").inside_ns + 1);
}

TEST(Replay, CallsOfUnknownSizeTakeTheTimeTheyTook) {
  const Replay::Times times = replayed({k_ms, 2 * k_ms}, {}, 2, "native", false);
  EXPECT_EQ(times.kept, 2u);
  EXPECT_NEAR(times.inside_ns, 6 * k_ms, 1);
  EXPECT_NEAR(times.run_ns, 10 * k_ms, 1);
}

TEST(Replay, AgentsLeaveAloneWhatTheyDoNotMake) {
  const std::vector<uint32_t> ranks = {0, 1, 2, 3};
  const std::vector<uint64_t> gaps(4, k_ms);
  for (int i = 0; i < algorithm::k_collective_count; ++i) {
    Replay replay({0, 0, 1, 1}, Machine{}, {.leader = arrival::Leader::agent});
    const base::Status status = replay.add({.collective = static_cast<Collective>(i),
                                            .bytes = 64,
                                            .members = ranks,
                                            .gaps_ns = gaps,
                                            .inside_ns = gaps});
    EXPECT_TRUE(status) << to_string(static_cast<Collective>(i)) << ": " << status.message();
  }
}

TEST(Replay, SmallCommunicatorsAreThereSeveralTimes) {
  const std::vector<uint32_t> half = {1, 3};
  const std::vector<uint64_t> gaps = {k_ms, k_ms}, inside = {k_ms, k_ms};
  Replay replay({0, 0, 1, 1}, Machine{}, {.times = 3});
  ASSERT_TRUE(
      replay.add({.collective = Collective::barrier, .members = half, .gaps_ns = gaps, .inside_ns = inside}));
  EXPECT_EQ(replay.times().simulated, 3u);
}

}  // namespace
}  // namespace tutti::simulate
