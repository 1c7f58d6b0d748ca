// tutti model as users meet it.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/temporary.hpp"
#include "tests/unit/command/support.hpp"

namespace {

using namespace tutti::command;

TEST(ModelCommand, FiguresAsTables) {
  const Outcome outcome = run_tutti("model --trials 200 --processes 64 --nodes 8 --bytes 8,64K");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  for (const char* part :
       {"# Figure 3", "# Figure 4", "# The whole tree", "# Figure 6", "CPBT n=8", "65536  agent"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part;
  // Γ(1) is k / 6, whatever the tree: no later step waits.
  EXPECT_NE(outcome.output.find("BT               1      6       0.167       0.167   0.0 %"),
            std::string::npos)
      << outcome.output;
}

TEST(ModelCommand, ThePapersParameters) {
  const Outcome outcome = run_tutti("model --figure 4 --trials 1 --bytes 1K --json -");
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  const auto all = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(all["processes"], 1024);
  EXPECT_EQ(all["arrivals"], "uniform:500us");
  const auto& row = all["figure4"][0];
  EXPECT_DOUBLE_EQ(row["transfer_us"], 4 + 0.01 * 1024);
  EXPECT_NEAR(row["formula_us"]["BT balanced"].get<double>(), 10 * 14.24, 1e-9);
  EXPECT_NEAR(row["formula_us"]["PBT balanced"].get<double>(), 8 * 14.24, 1e-9);
  EXPECT_LT(row["formula_us"]["CPBT"], row["formula_us"]["PBT"]);
  EXPECT_EQ(all["whole_tree"].size(), 4u);
  EXPECT_FALSE(all.contains("figure3"));
}

TEST(ModelCommand, FilesHoldTheSame) {
  const std::string csv = tutti::support::temporary_path("model.csv").string();
  const std::string words = "model --figure 6 --contenders 4 --csv ";
  const Outcome outcome = run_tutti(words + "'" + csv + "'");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  std::ifstream file(csv);
  const std::string content(std::istreambuf_iterator<char>(file), {});
  EXPECT_TRUE(content.starts_with("figure,curve,x,quantity,value,error\n6,n=1,0,density,1,0\n")) << content;
  EXPECT_NE(content.find("6,n=4,0.5,distribution,0.9375,0\n"), std::string::npos);
  EXPECT_EQ(run_tutti(words + "-").output, content);
}

TEST(ModelCommand, WhatCannotBeIsRefused) {
  expect_refused("--k", "model --k nan");
  expect_refused("--k", "model --k inf");
  expect_refused("--alpha", "model --alpha 0");
  expect_refused("--beta", "model --beta -1");
  expect_refused("--unbalance", "model --unbalance 5,nan");
  expect_refused("--processes", "model --processes 0");
  expect_refused("cannot be dealt out evenly", "model --processes 10 --nodes 4");
  expect_refused("--bytes", "model --bytes 8,x");
  expect_refused("unbalance degree", "model --alpha 0.001 --beta 0 --k 1000000");
  expect_refused("--arrivals", "model --arrivals unifrom:5ms");
  expect_refused("there are only 1024 ranks", "model --arrivals straggler:rank=1024,5ms");
  expect_refused("--figure", "model --figure 5");
  expect_refused("standard output", "model --csv - --json -");
}

}  // namespace
