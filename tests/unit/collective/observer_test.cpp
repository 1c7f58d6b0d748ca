#include "collective/observer.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "collective/report.hpp"

namespace tutti::collective {
namespace {

using algorithm::Collective;
using select::CallInterface;

struct Recorder final : Observer {
  void begun(CallEvent&) override { seen += 'b'; }
  void ended(const CallEvent&) override { seen += 'e'; }
  void completed(const CallEvent&, const select::Sample&) override { seen += 'c'; }
  std::string seen;
};

TEST(Observers, AllOfThemSeeEveryEvent) {
  Observers observers;
  EXPECT_TRUE(observers.is_empty());
  Recorder first, second;
  observers.add(first);
  observers.add(second);
  EXPECT_FALSE(observers.is_empty());
  CallEvent event{.collective = Collective::bcast};
  observers.begun(event);
  observers.ended(event);
  observers.completed(event, {});
  EXPECT_EQ(first.seen, "bec");
  EXPECT_EQ(second.seen, "bec");
}

nlohmann::json calls_of(const Report& report) {
  return nlohmann::json::parse(report.to_json({.mpi = "an MPI", .rank_count = 2, .node_count = 1}))
      .at("calls");
}

TEST(Report, AddsCallsUpByCollectiveSizeAndChoice) {
  Report report;
  DispatchedCall dispatched{
      .prepared = {.line = report.line(Collective::bcast, CallInterface::blocking, 11, "chain", "a rule")}};
  CallEvent event{.collective = Collective::bcast,
                  .bytes = 1024,
                  .bytes_known = true,
                  .started_ns = 100,
                  .ended_ns = 350,
                  .dispatched = &dispatched};
  report.ended(event);
  report.ended(event);
  event.dispatched = nullptr;  // no rule wanted this one
  report.ended(event);
  event.passes_through = true;
  report.ended(event);
  const nlohmann::json calls = calls_of(report);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].at("choice"), "chain");
  EXPECT_EQ(calls[0].at("calls"), 2);
  EXPECT_EQ(calls[0].at("time_ns"), 500);
  EXPECT_EQ(calls[1].at("choice"), "native");
  EXPECT_EQ(calls[1].at("calls"), 1);
}

TEST(Report, MeasuresSomeOfTheShortNativeCallsAndCountsThemAll) {
  Report report;
  ReportLine& line = *report.native_line(Collective::bcast, CallInterface::blocking, 4);
  constexpr uint64_t k_calls = 100'000, k_call_ns = 300;
  uint64_t measured = 0;
  for (uint64_t i = 0; i < k_calls; ++i) {
    const bool is_timed = line.is_next_timed();
    EXPECT_TRUE(is_timed || i >= ReportLine::k_measured_first);
    line.count(8);
    if (is_timed) line.add_time(k_call_ns);
    measured += is_timed ? 1 : 0;
  }
  EXPECT_EQ(line.calls.load(), k_calls);
  EXPECT_EQ(line.bytes.load(), 8 * k_calls);
  EXPECT_LT(measured, k_calls / 10);
  EXPECT_NEAR(static_cast<double>(line.time_ns.load()), k_calls * k_call_ns, 0.02 * k_calls * k_call_ns);
}

TEST(Report, MeasuresEveryLongCall) {
  Report report;
  ReportLine& line = *report.native_line(Collective::bcast, CallInterface::blocking, 4);
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_TRUE(line.is_next_timed());
    line.count(8);
    line.add_time(2 * ReportLine::k_short_ns);
  }
}

TEST(Report, ALineIsThatOfItsReason) {
  Report report;
  const std::string reason = "a person's", other = "another's";
  ReportLine* const plain = report.native_line(Collective::bcast, CallInterface::blocking, 4);
  EXPECT_EQ(report.native_line(Collective::bcast, CallInterface::blocking, 4), plain);
  ReportLine* const bound = report.native_line(Collective::bcast, CallInterface::blocking, 4, &reason);
  EXPECT_NE(bound, plain);
  EXPECT_EQ(bound->reason, reason);
  EXPECT_EQ(report.native_line(Collective::bcast, CallInterface::blocking, 4, &other)->reason, other);
  EXPECT_EQ(report.native_line(Collective::bcast, CallInterface::blocking, 4), plain);
}

TEST(Observers, SomeTimesAreEnoughUnlessOneWantsAll) {
  Observers observers;
  Recorder recorder;
  Report report;
  observers.add(report, Times::of_some);
  EXPECT_FALSE(observers.time_every_call());
  observers.add(recorder);
  EXPECT_TRUE(observers.time_every_call());
}

}  // namespace
}  // namespace tutti::collective
