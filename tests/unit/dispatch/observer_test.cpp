#include "dispatch/observer.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dispatch/report.hpp"

namespace tutti::dispatch {
namespace {

using algorithm::Collective;
using select::CallKind;

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
  Answer answer{
      .prepared = {.line = report.line(Collective::bcast, CallKind::blocking, 11, "chain", "a rule")}};
  CallEvent event{.collective = Collective::bcast,
                  .bytes = 1024,
                  .bytes_known = true,
                  .started_ns = 100,
                  .ended_ns = 350,
                  .answer = &answer};
  report.ended(event);
  report.ended(event);
  event.answer = nullptr;  // no rule wanted this one
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

}  // namespace
}  // namespace tutti::dispatch
