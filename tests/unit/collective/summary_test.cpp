// Tests the summary that `tutti run` prints at the end.

#include "collective/summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "collective/report.hpp"

namespace tutti::collective {
namespace {

using algorithm::Collective;
using select::CallInterface;

constexpr int k_512k = 20;  // size class
const ReportHeader k_one_node{
    .mpi = "an MPI", .rank_count = 4, .node_count = 1, .elapsed_ns = 1'234'000'000, .progress = "off"};
const ReportHeader k_four_nodes{
    .mpi = "an MPI", .rank_count = 8, .node_count = 4, .elapsed_ns = 1'234'000'000, .progress = "off"};

void add_calls(Report& report, int calls, uint64_t ns, const std::string& choice, const std::string& reason) {
  ReportLine* const line = report.line(Collective::bcast, CallInterface::blocking, k_512k, choice, reason);
  for (int i = 0; i < calls; ++i) {
    line->count(600'000);
    line->add_time(ns);
  }
}

/// A site that chose `choice`, at 3010 µs natively and 2810 µs by a chain.
CallSiteReport site_of(const std::string& choice) {
  const select::Candidate chain = *select::parse_candidate(Collective::bcast, "chain");
  return {.shape = {.collective = Collective::bcast, .ranks = 8, .nodes = 4, .bytes = 600'000},
          .calls = 200,
          .elapsed_ns = 1'000'000'000,
          .loss_ns = 22'212'000,
          .choice = choice,
          .reason = "measured",
          .candidates = {{.candidate = {}, .trials = 12, .median_ns = 3'010'000},
                         {.candidate = chain, .trials = 12, .median_ns = 2'810'000}},
          .switches = {}};
}

TEST(Summary, OneLineForAllCandidatesOfASizeClass) {
  Report report;
  add_calls(report, 150, 2'900'000, "chain", "run-time selection");
  add_calls(report, 49, 2'500'000, "binomial", "run-time selection");
  add_calls(report, 1, 10'000'000, "native", "run-time selection");
  report.add_site(site_of("chain"));
  EXPECT_EQ(report.to_summary(k_four_nodes),
            "tutti: Tutti served 199 of 200 calls\n"
            "tutti: 8 ranks on 4 nodes, 1.23 s (rank 0); nonblocking collectives: off\n"
            "tutti: bcast 512K-1M: 200 calls, 0.57 s; Tutti served 199 (mostly chain): native 3010 µs a "
            "call, now 2810; trials cost\n"
            "tutti:   1.8 % of the run\n");
}

TEST(Summary, SaysWhereTheNativeMpiWonTheTrials) {
  Report report;
  add_calls(report, 200, 1'000, "native", "run-time selection");
  report.add_site(site_of("native"));
  EXPECT_NE(report.to_summary(k_four_nodes)
                .find("; native: 1 algorithm tried, the native MPI is the fastest; trials cost"),
            std::string::npos);
}

/// A site with these calls and times per call, by the chain.
CallSiteReport site_with(uint64_t calls, uint64_t native_ns, uint64_t chain_ns, const std::string& choice) {
  CallSiteReport site = site_of(choice);
  site.calls = calls;
  site.candidates[0].median_ns = native_ns;
  site.candidates[1].median_ns = chain_ns;
  return site;
}

/// The summary without its line breaks.
std::string joined(const Report& report) {
  std::string text = report.to_summary(k_four_nodes);
  constexpr std::string_view k_break = "\ntutti:  ";
  for (size_t at; (at = text.find(k_break)) != std::string::npos;) text.erase(at, k_break.size());
  return text;
}

TEST(Summary, ARowTellsOfAllItsSites) {
  Report report;
  add_calls(report, 290, 100'000, "chain", "run-time selection");
  add_calls(report, 110, 100'000, "native", "run-time selection");
  // The site with most calls is slower than the native MPI by its median; all of them together are not.
  report.add_site(site_with(150, 111'000, 188'000, "chain"));
  report.add_site(site_with(140, 900'000, 300'000, "chain"));
  report.add_site(site_with(110, 50'000, 60'000, "native"));
  const std::string text = joined(report);
  // (150 * 111 + 140 * 900 + 110 * 50) / 400, and (150 * 188 + 140 * 300 + 110 * 50) / 400.
  EXPECT_NE(text.find("native 370.4 µs a call, now 189.2; trials"), std::string::npos) << text;
  EXPECT_NE(text.find("5.4 % of the run"), std::string::npos) << text;  // three times 22 ms of 1.2 s
}

TEST(Summary, SaysWhichCallsAComparisonIsOf) {
  Report report;
  add_calls(report, 290, 100'000, "chain", "run-time selection");
  report.add_site(site_with(200, 300'000, 188'000, "chain"));
  EXPECT_NE(joined(report).find("native 300.0 µs a call, now 188.0 (200 of the calls)"), std::string::npos)
      << joined(report);
}

TEST(Summary, DoesNotLetAWorseChoiceStandUnexplained) {
  Report report;
  add_calls(report, 200, 100'000, "chain", "run-time selection");
  report.add_site(site_with(200, 111'000, 188'000, "chain"));
  EXPECT_NE(joined(report).find("native 111.0 µs a call, now 188.0 (too few trials to go back)"),
            std::string::npos)
      << joined(report);
}

TEST(Summary, AUserOnOneNodeLearnsWhyNothingIsServed) {
  Report report;
  const CallEvent event{
      .collective = Collective::barrier, .bytes_known = true, .started_ns = 100, .ended_ns = 350};
  for (int i = 0; i < 60; ++i) report.ended(event);
  const std::string text = report.to_summary(k_one_node);
  EXPECT_TRUE(
      text.starts_with("tutti: Tutti served 0 of 60 calls: on one node the built-in rules keep the MPI's own "
                       "(try --tune all)\n"
                       "tutti: 4 ranks on 1 node, "))
      << text;
  EXPECT_NE(text.find("tutti: barrier: 60 calls, 15.0 µs; native\n"), std::string::npos) << text;
}

TEST(Summary, ARuleForTheNativeMpiKeepsItsBecause) {
  Report report;
  const std::string wish = "measured here (FILE, rule 1)";
  CallEvent event{.collective = Collective::barrier, .bytes_known = true, .native_reason = &wish};
  report.ended(event);
  event.native_reason = nullptr;  // on another communicator
  report.ended(event);
  const std::string text = report.to_summary(k_one_node);
  EXPECT_NE(text.find("; native: measured here (FILE, rule 1)\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("try --tune all"), std::string::npos) << text;
}

TEST(Summary, LinesAreNotLong) {
  Report report;
  std::string reason;
  for (int i = 0; i < 60; ++i) reason += "words of µs, ";
  add_calls(report, 1, 1, "chain", reason + std::string(300, 'x'));
  std::istringstream lines(report.to_summary(k_one_node));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(line.starts_with("tutti: ")) << line;
    const auto columns = std::ranges::count_if(line, [](char c) { return (c & 0xc0) != 0x80; });
    EXPECT_TRUE(columns <= static_cast<long>(k_summary_columns) || line.find("xxx") != std::string::npos)
        << line;
  }
}

TEST(Summary, CountsCallsThatPassThrough) {
  Report report;
  report.ended({.passes_through = true});
  EXPECT_TRUE(
      report.to_summary(k_one_node)
          .starts_with("tutti: the program has called no collective that Tutti could serve; 1 call on "
                       "communicators that it does not serve\n"));
}

}  // namespace
}  // namespace tutti::collective
