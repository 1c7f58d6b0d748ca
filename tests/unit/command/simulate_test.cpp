// tutti simulate as users meet it.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "record/rank_file.hpp"
#include "select/rules.hpp"
#include "tests/support/temporary.hpp"
#include "tests/unit/command/support.hpp"

namespace {

using namespace tutti::command;

TEST(SimulateCommand, AlgorithmsSideBySide) {
  const Outcome outcome = run_tutti("simulate bcast --nodes 4 --ranks-per-node 2 --sizes 8,64K");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  for (const char* part : {"bcast of 8 ranks on 4 nodes; machine default (crossbar); arrivals none; 1 call",
                           "8  knomial", "65536  hierarchical", "slowest us"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << "\n" << outcome.output;
  EXPECT_EQ(outcome.output.find("late_last"), std::string::npos);
}

TEST(SimulateCommand, TheSameEveryTime) {
  const std::string words =
      "simulate allreduce --nodes 16 --sizes 4K --machine gemini --arrivals exponential:20us --calls 20 "
      "--json -";
  const Outcome outcome = run_tutti(words);
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_EQ(run_tutti(words).output, outcome.output);
  const auto all = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(all["machine"]["network"]["topology"], "torus");
  EXPECT_EQ(all["ranks"], 16);
  for (const auto& cell : all["cells"]) {
    if (cell.contains("why_not")) continue;
    EXPECT_GT(cell["mean_ns"], 0);
    EXPECT_GE(cell["slowest_ns"], cell["mean_ns"]);
  }
}

TEST(SimulateCommand, OneLeaderAndAnother) {
  const Outcome outcome = run_tutti(
      "simulate bcast --nodes 8 --ranks-per-node 4 --machine paper000 --arrivals uniform:500us --calls 100 "
      "--algorithm hierarchical --leader fixed,first,agent --json -");
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  const auto cells = nlohmann::json::parse(outcome.output)["cells"];
  ASSERT_EQ(cells.size(), 3u);
  EXPECT_LT(cells[1]["mean_ns"].get<double>(), cells[0]["mean_ns"].get<double>());
  EXPECT_LT(cells[2]["mean_ns"].get<double>(), cells[1]["mean_ns"].get<double>());
}

TEST(SimulateCommand, SeveralAlgorithms) {
  for (const char* names :
       {"--algorithm chain:segment=4K,knomial", "--algorithm chain:segment=4K --algorithm knomial"}) {
    const Outcome outcome = run_tutti(std::string("simulate bcast --nodes 4 --json - ") + names);
    ASSERT_EQ(outcome.status, 0) << outcome.output;
    const auto cells = nlohmann::json::parse(outcome.output)["cells"];
    ASSERT_EQ(cells.size(), 2u);
    EXPECT_EQ(cells[0]["algorithm"], "chain:segment=4K");
    EXPECT_EQ(cells[1]["algorithm"], "knomial");
  }
}

TEST(SimulateCommand, AFitToFewCallsSaysSo) {
  std::string calls;
  for (const char* bytes : {"8", "4096", "65536"})
    calls += std::string(calls.empty() ? "" : ",") + R"({"collective": "bcast", "bytes": )" + bytes +
             R"(, "tutti_us": [20], "choice": "knomial"})";
  const std::string file =
      file_with("few.json", R"({"ranks_of_node": [2, 2], "measurements": [)" + calls + "]}");
  const Outcome outcome = run_tutti("simulate --fit '" + file + "'");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("fitted to 3 calls on 2 nodes: too few to tell"), std::string::npos)
      << outcome.output;
  EXPECT_EQ(outcome.output.find(" %"), std::string::npos) << outcome.output;
}

/// The folder of a run in which two ranks made one allreduce.
std::string recorded_run(const char* name, tutti::select::CallInterface interface) {
  using namespace tutti::record;
  const std::filesystem::path folder = tutti::support::temporary_path(name);
  std::filesystem::create_directory(folder);
  for (uint32_t rank = 0; rank < 2; ++rank) {
    RankDescription says{
        .run = 7, .rank = rank, .ranks = 2, .ended_ns = 10'000'000, .taken = 1, .records = 1};
    says.places = {{}};
    says.communicators = {{.number = 0, .rank = rank, .members = {0, 1}}};
    says.rows = {
        {.collective = tutti::algorithm::Collective::allreduce, .interface = interface, .choice = "ring"}};
    const PackedRecord record = PackedRecord::of(
        {.arrival_ns = 5'000'000, .inside_ns = 1'000'000, .whole_ns = 1'000'000, .bytes = 8});
    std::ofstream(folder / rank_file_name(rank), std::ios::binary) << rank_file(says, {&record, 1});
  }
  return folder;
}

TEST(SimulateCommand, ARunWithoutBlockingCallsIsNotReplayed) {
  const Outcome outcome = run_tutti("simulate --replay '" +
                                    recorded_run("blocking", tutti::select::CallInterface::blocking) + "'");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("1 blocking call simulated"), std::string::npos) << outcome.output;
  expect_refused(
      "no blocking collective call",
      "simulate --replay '" + recorded_run("nonblocking", tutti::select::CallInterface::nonblocking) + "'");
}

TEST(SimulateCommand, CrossoversAreRules) {
  const std::string rules = tutti::support::temporary_path("crossover.json").string();
  const Outcome outcome =
      run_tutti("simulate bcast --nodes 8 --sizes 8,1K,64K,4M --crossover '" + rules + "' --csv -");
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_TRUE(outcome.output.starts_with("collective,nodes,ranks,bytes,algorithm,leader,mean_ns"))
      << outcome.output;
  const auto read = tutti::select::load_rules(rules);
  ASSERT_TRUE(read.is_ok()) << read.status().message();
  ASSERT_GE(read->size(), 2u);
  EXPECT_EQ(read->front().bytes.least, 8u);
  EXPECT_EQ(read->back().bytes.most, uint64_t{4} << 20);
  for (size_t i = 1; i < read->size(); ++i) EXPECT_EQ((*read)[i].bytes.least, (*read)[i - 1].bytes.most + 1);
  for (const auto& rule : *read) EXPECT_EQ(rule.nodes.least, 8u);
}

TEST(SimulateCommand, APicture) {
  const std::string machine = file_with("named.json", R"({"name": "<mine & yours>"})");
  const Outcome outcome = run_tutti(
      "simulate alltoallv --nodes 4 --ranks-per-node 2 --sizes 0,8,1K --algorithm pairwise "
      "--algorithm parlogna --algorithm parlinna --svg - --machine " +
      machine);
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  const auto count = [&](std::string_view part) {
    size_t found = 0;
    for (size_t at = outcome.output.find(part); at != std::string::npos;
         at = outcome.output.find(part, at + 1))
      ++found;
    return found;
  };
  EXPECT_TRUE(outcome.output.starts_with("<svg ")) << outcome.output;
  EXPECT_TRUE(outcome.output.ends_with("</svg>\n")) << outcome.output;
  EXPECT_EQ(count("<polyline"), 3u);
  EXPECT_EQ(count("<circle"), 9u);
  EXPECT_EQ(count("machine &lt;mine &amp; yours&gt;"), 1u);
  EXPECT_EQ(count("nan"), 0u);
  EXPECT_EQ(count("inf"), 0u);
}

TEST(SimulateCommand, AMachineOfOnesOwn) {
  const Outcome shown = run_tutti("simulate --machine tofu2 --show-machine");
  ASSERT_EQ(shown.status, 0) << shown.output;
  const std::string file = file_with("machine.json", shown.output);
  const std::string words = "simulate barrier --nodes 27 --csv - --machine ";
  EXPECT_EQ(run_tutti(words + file).output, run_tutti(words + "tofu2").output);
  EXPECT_EQ(run_tutti("simulate --show-schema").status, 0);
}

TEST(SimulateCommand, Programs) {
  const Outcome goal = run_tutti("schedule allgather --algorithm ring --ranks 5 --bytes 1000 --format goal");
  ASSERT_EQ(goal.status, 0);
  const std::string file = file_with("ring.goal", goal.output);
  const Outcome outcome = run_tutti("simulate --goal " + file + " --machine loggopsim");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("5 ranks, 1 on each node"), std::string::npos) << outcome.output;
  // 4 steps of 2 o + L + 999 G; what is copied meanwhile takes longer than nothing.
  EXPECT_NE(outcome.output.find("ends after 45.976 us"), std::string::npos) << outcome.output;
}

TEST(SimulateCommand, WhatCannotBeIsRefused) {
  expect_refused("which collective", "simulate");
  expect_refused("unknown collective 'bcats' (did you mean", "simulate bcats");
  expect_refused("--nodes", "simulate bcast --nodes 0");
  expect_refused("too many", "simulate bcast --nodes 1048576 --ranks-per-node 1024");
  expect_refused("--sizes", "simulate bcast --sizes 8,x");
  expect_refused("--sizes", "simulate bcast --sizes 2G");
  expect_refused("--machine: nope", "simulate bcast --machine nope");
  expect_refused("topology 'ring'", "simulate bcast --topology ring");
  expect_refused("--arrivals", "simulate bcast --arrivals uniform:");
  expect_refused("rank=99", "simulate bcast --arrivals straggler:rank=99,1ms");
  expect_refused("root 16", "simulate bcast --root 16");
  expect_refused("--leader", "simulate bcast --leader last");
  expect_refused("unknown bcast algorithm", "simulate bcast --algorithm nomial");
  expect_refused("unknown bcast algorithm 'chian'", "simulate bcast --algorithm knomial,chian");
  expect_refused("--algorithm", "simulate --goal file --algorithm chain");
  expect_refused("--json", "simulate --fit file --json out");
  expect_refused("--csv", "simulate --replay folder --csv out");
  expect_refused("no rule can ask", "simulate bcast --leader first --crossover -");
  expect_refused("only one of", "simulate bcast --csv - --json -");
  expect_refused("--goal", "simulate --goal /does/not/exist");
  expect_refused("file.goal:1: begins with num_ranks",
                 "simulate --goal " + file_with("file.goal", "rank 0 {}"));
  expect_refused("no rank receives",
                 "simulate --goal " + file_with("send.goal", "num_ranks 2 rank 0 { a: send 1b to 1 }"), "",
                 1);
}

}  // namespace
