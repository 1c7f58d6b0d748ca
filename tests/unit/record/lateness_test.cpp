// Waiting and transfer, by the class of the collective.

#include "record/analysis/lateness.hpp"

#include <gtest/gtest.h>

#include "record/analysis/log_histogram.hpp"
#include "record/analysis/worst_calls.hpp"

namespace tutti::record::analysis {
namespace {

using algorithm::Collective;

struct Came {
  int64_t at = 0;
  uint64_t took = 0;
};

CallInstance call_of(Collective collective, std::vector<Came> ranks, uint32_t root = k_no_root) {
  CallInstance call{.collective = collective, .root = root};
  for (const Came& rank : ranks)
    call.calls.push_back(
        {.is_present = true, .arrival_ns = rank.at, .inside_ns = rank.took, .whole_ns = rank.took});
  call.present = static_cast<uint32_t>(ranks.size());
  return call;
}

Lateness judged(const CallInstance& call) {
  Lateness lateness;
  judge(call, &lateness);
  return lateness;
}

TEST(Lateness, AllWaitForTheLast) {
  const Lateness of = judged(call_of(Collective::allreduce, {{0, 1100}, {1000, 100}, {400, 700}}));
  EXPECT_TRUE(of.is_judged);
  EXPECT_EQ(of.last, 1u);
  EXPECT_EQ(of.spread_ns, 1000u);
  EXPECT_EQ(of.members[0].waiting_ns, 1000u);
  EXPECT_EQ(of.members[0].transfer_ns, 100u);
  EXPECT_EQ(of.members[2].waiting_ns, 600u);
  EXPECT_EQ(of.awaited_ns, (std::vector<uint64_t>{0, 1600, 0}));
}

TEST(Lateness, FromARootNobodyWaitsForOthers) {
  const Lateness of = judged(call_of(Collective::bcast, {{500, 50}, {0, 600}, {1000, 40}}, 0));
  EXPECT_EQ(of.members[1].waiting_ns, 500u);
  EXPECT_EQ(of.members[1].transfer_ns, 100u);
  EXPECT_EQ(of.members[2].waiting_ns, 0u);
  EXPECT_EQ(of.awaited_ns[0], 500u);
}

TEST(Lateness, ARootedCallThatHoldsAllUpWaitsForTheLast) {
  const Lateness of = judged(call_of(Collective::bcast, {{0, 1010}, {0, 1020}, {1000, 20}}, 0));
  EXPECT_EQ(of.awaited_ns[2], 2000u);
}

TEST(Lateness, ToARootOnlyTheRootWaits) {
  const Lateness of = judged(call_of(Collective::gather, {{0, 1010}, {10, 5}, {1000, 5}}, 0));
  EXPECT_EQ(of.members[0].waiting_ns, 1000u);
  EXPECT_EQ(of.members[1].waiting_ns, 0u);
  EXPECT_EQ(of.awaited_ns[2], 1000u);
}

TEST(Lateness, APrefixWaitsForThoseBelow) {
  const Lateness of = judged(call_of(Collective::scan, {{0, 10}, {800, 10}, {100, 720}, {2000, 10}}));
  EXPECT_EQ(of.members[0].waiting_ns, 0u);
  EXPECT_EQ(of.members[2].waiting_ns, 700u);
  EXPECT_EQ(of.awaited_ns[1], 700u);
}

TEST(Lateness, WhatComputationHidesIsNotWaiting) {
  CallInstance call = call_of(Collective::allreduce, {{0, 0}, {1000, 0}});
  call.interface = select::CallInterface::nonblocking;
  call.calls[0].whole_ns = 1200;
  call.calls[0].inside_ns = 300;  // the last 300 of 1200
  call.calls[1].whole_ns = call.calls[1].inside_ns = 200;
  const Lateness of = judged(call);
  EXPECT_EQ(of.members[0].hidden_ns, 900u);
  EXPECT_EQ(of.members[0].waiting_ns, 100u);
  EXPECT_EQ(of.members[0].transfer_ns, 200u);
}

TEST(Lateness, SpreadsWithinTheErrorOfTheClocksAreNotJudged) {
  CallInstance call = call_of(Collective::barrier, {{0, 1100}, {1000, 100}});
  call.calls[1].error_ns = 501;
  EXPECT_FALSE(judged(call).is_judged);
  EXPECT_EQ(judged(call).awaited_ns[1], 0u);
  call.calls[1].error_ns = 500;
  EXPECT_TRUE(judged(call).is_judged);
  call.calls[1].error_ns = k_unknown_ns;
  EXPECT_FALSE(judged(call).is_judged);
}

TEST(WorstCalls, KeepsThoseWithMostWaitingInTheOrderOfTime) {
  WorstCalls worst(3 * 2);  // three calls of two ranks
  for (const int64_t late : {500, 9000, 100, 7000, 8000, 300}) {
    const CallInstance call =
        call_of(Collective::barrier, {{10 * late, static_cast<uint64_t>(late + 10)}, {11 * late, 10}});
    worst.add(call, judged(call));
  }
  EXPECT_EQ(worst.left_out(), 3u);
  const auto kept = worst.take();
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_EQ(kept[0].waiting_ns, 7000u);
  EXPECT_EQ(kept[2].waiting_ns, 9000u);
}

TEST(LogHistogram, QuantilesAreCloseAndFromAbove) {
  LogHistogram of;
  for (uint64_t ns = 1; ns <= 100'000; ++ns) of.add(ns);
  for (const double part : {0.1, 0.5, 0.9}) {
    const auto truth = static_cast<uint64_t>(part * 100'000);
    EXPECT_GE(of.quantile(part), truth);
    EXPECT_LE(of.quantile(part), truth + truth / 8 + 1);
  }
  uint64_t calls = 0, before = 0;
  of.octaves([&](uint64_t from_ns, uint64_t to_ns, uint64_t count) {
    EXPECT_TRUE(before == 0 || from_ns == before);
    EXPECT_LT(from_ns, to_ns);
    before = to_ns;
    calls += count;
  });
  EXPECT_EQ(calls, 100'000u);
}

}  // namespace
}  // namespace tutti::record::analysis
