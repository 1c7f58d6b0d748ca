// tutti offload as users meet it.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/support/temporary.hpp"
#include "tests/unit/command/support.hpp"

namespace {

using namespace tutti::command;

std::string output_of(const std::string& arguments) {
  const Outcome outcome = run_tutti(arguments);
  EXPECT_EQ(outcome.status, 0) << arguments << '\n' << outcome.output;
  return outcome.output;
}

TEST(OffloadCommand, DescribesWhatTheIssueAsksFor) {
  EXPECT_EQ(output_of("offload describe --ranks 128 --rank 5 --radix 3"),
            "barrier      rank 5 of 128, barrier id 0, epoch 0\n"
            "completion   queue entry, cookie 0x0\n"
            "length       20 words, 160 bytes\n"
            "round  sends to  waits for\n"
            "    0  6 4       4 6\n"
            "    1  8 2       2 8\n"
            "    2  14 124    124 14\n"
            "    3  32 106    106 32\n"
            "    4  86        52\n");
}

TEST(OffloadCommand, FilesGoRound) {
  const std::string name = tutti::support::temporary_path("barrier").string();
  const std::string what = "offload describe --ranks 128 --rank 5 --id 7 --epoch 42 --address 0xc0ffee";
  output_of(what + " --output '" + name + "'");
  for (const std::string form : {"", " --json", " --hex"})
    EXPECT_EQ(output_of("offload describe --file '" + name + "'" + form), output_of(what + form));
  EXPECT_NE(output_of(what + " --hex").find("  0  0001010152414254\n  1  0007000000050014\n"),
            std::string::npos);
  std::ifstream file(name, std::ios::binary);
  const std::string content(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(content.size(), 160u);
  EXPECT_EQ(output_of(what + " --output -"), content);
}

TEST(OffloadCommand, Allreduce) {
  const auto all = nlohmann::json::parse(
      output_of("offload describe --collective allreduce --ranks 5 --rank 1 --radix 2 --operator max --type "
                "float64 --values 0.5,-3 --completion memory --address 4096 --json"));
  EXPECT_EQ(all["kind"], "allreduce");
  EXPECT_EQ(all["operation"]["operand"], (std::vector<std::string>{"0.5", "-3"}));
  EXPECT_EQ(all["rounds"].size(), 4u);
  EXPECT_EQ(all["rounds"][3]["action"], "replace");
}

TEST(OffloadCommand, OtherBarriersOfTheCatalogue) {
  EXPECT_NE(
      output_of("offload describe --algorithm tree:radix=2 --ranks 4 --rank 1").find("    2  -         0"),
      std::string::npos);
  expect_refused("a descriptor has 20", "offload describe --ranks 3486784402 --radix 3");
  EXPECT_NE(output_of("offload describe --ranks 3000000000 --radix 3").find("   19  "), std::string::npos);
  expect_refused("too many", "offload describe --algorithm dissemination --ranks 2000000");
  expect_refused("too many", "offload describe --algorithm tree --ranks 5000");
  expect_refused("more than 15", "offload describe --algorithm tree:radix=64 --ranks 64");
  expect_refused("does not apply", "offload describe --algorithm hierarchical --ranks 4");
  expect_refused("did you mean", "offload describe --algorithm disemination --ranks 4");
}

TEST(OffloadCommand, RadixIsComputed) {
  const auto all = nlohmann::json::parse(output_of("offload radix --ranks 4096 --latency 1000 --json"));
  EXPECT_EQ(all["best"], 16);
  EXPECT_EQ(all["radices"].size(), 15u);
  EXPECT_NE(output_of("offload radix --ranks 4096 --latency 0 --send-overhead 1")
                .find("    2      12        12          12.0  best"),
            std::string::npos);
}

TEST(OffloadCommand, MistakesAreOneLine) {
  expect_refused("see tutti offload ", "offload");
  expect_refused("see tutti offload ", "offload frobnicate");
  expect_refused("--rank 8: there are 8 ranks", "offload describe --ranks 8 --rank 8");
  expect_refused("see tutti offload ", "offload describe --ranks 0");
  expect_refused("see tutti offload ", "offload describe --ranks 5000000000");
  expect_refused("see tutti offload ", "offload describe --radix 17");
  expect_refused("see tutti offload ", "offload describe --radix three");
  expect_refused("see tutti offload ", "offload describe --id 65536");
  expect_refused("see tutti offload ", "offload describe --json --hex");
  expect_refused("see tutti offload ", "offload describe --radix 3 --algorithm tree");
  expect_refused("see tutti offload ", "offload describe --file x --ranks 4");
  expect_refused("symmetric shape needs an odd radix", "offload describe --radix 4 --shape symmetric");
  expect_refused("21 rounds; a descriptor has 20", "offload describe --radix 2 --ranks 1048577");
  expect_refused("is not a multiple of 8", "offload describe --completion memory --address 3");
  expect_refused("'x' is no int64", "offload describe --collective allreduce --values 1,x");
  expect_refused("'1.5' is no uint64", "offload describe --collective allreduce --type uint64 --values 1.5");
  expect_refused("at most 8", "offload describe --collective allreduce --values 1,2,3,4,5,6,7,8,9");
  expect_refused("not defined for float64",
                 "offload describe --collective allreduce --operator and --type float64");
  expect_refused("are for --collective allreduce", "offload describe --operator sum");
  expect_refused("are for --collective barrier", "offload describe --collective allreduce --shape forward");
  expect_refused("No such file", "offload describe --file /nonexistent/descriptor");
  expect_refused("5 bytes are not a whole number",
                 "offload describe --file '" + file_with("short", "short") + "'");
  expect_refused("not with 0x52414254",
                 "offload describe --file '" + file_with("zeros", std::string(80, '\0')) + "'");
  expect_refused("cannot write", "offload describe --output /nonexistent/descriptor");
  expect_refused("cannot write", "offload simulate --json /nonexistent/result");
  expect_refused("see tutti offload ", "offload radix --ranks 8 --latency -1");
  expect_refused("--ranks", "offload radix");
  expect_refused("--latency", "offload radix --ranks 8");
}

TEST(OffloadCommand, SimulatesAndSaysTheSameTwice) {
  const std::string what =
      "offload simulate --nodes 16 --radix 3 --repeats 3 --arrivals uniform:2us --loss 0.05";
  const std::string text = output_of(what);
  EXPECT_NE(text.find("barrier of 16 nodes, radix 3, offload, torus 4x2x2, parameters default"),
            std::string::npos)
      << text;
  const auto all = nlohmann::json::parse(output_of(what + " --json -"));
  EXPECT_EQ(all["nodes"], 16);
  EXPECT_GT(all["latency_ns"]["median"], 1000);
  EXPECT_GE(all["acks"], all["notifications"]);
  EXPECT_EQ(output_of(what + " --json -"), output_of(what + " --json -"));
  EXPECT_NE(output_of(what + " --json - --seed 2"), output_of(what + " --json -"));
}

TEST(OffloadCommand, SimulatesHostsAndAllreduces) {
  const auto latency = [](const std::string& more) {
    return nlohmann::json::parse(
               output_of("offload simulate --nodes 32 --json - " + more))["latency_ns"]["median"]
        .get<double>();
  };
  const double offloaded = latency("--radix 4"), software = latency("--engine software --radix 2");
  EXPECT_LT(offloaded, software);
  EXPECT_LT(software, latency("--engine software-mpi --radix 2"));
  EXPECT_LT(offloaded, latency("--radix 4 --allreduce sum --type float64 --elements 8"));
  EXPECT_LT(offloaded, latency("--radix 4 --strict"));
  EXPECT_NE(offloaded, latency("--radix 4 --parameters infiniband"));
}

TEST(OffloadCommand, ParametersAreWrittenAndRead) {
  const std::string name = tutti::support::temporary_path("machine").string();
  const std::string text = output_of("offload simulate --show-parameters --parameters gemini");
  std::ofstream(name) << text;
  EXPECT_EQ(output_of("offload simulate --show-parameters --parameters '" + name + "'"), text);
  std::ofstream(name) << "{\"network\": {\"hop_ns\": -1}}";
  expect_refused("\"hop_ns\": is not between", "offload simulate --parameters '" + name + "'");
}

TEST(OffloadCommand, BadSimulationsAreRefused) {
  expect_refused("the symmetric shape needs an odd radix", "offload simulate --radix 4 --shape symmetric");
  expect_refused("--radix", "offload simulate --radix 17");
  expect_refused("--nodes", "offload simulate --nodes 0");
  expect_refused("topology 'ring'", "offload simulate --topology ring");
  expect_refused("barriers only", "offload simulate --engine software --allreduce sum");
  expect_refused("loses nothing", "offload simulate --engine software --loss 0.1");
  expect_refused("barrier ids", "offload simulate --communicators 17");
  for (const char* option : {"--queue sdq", "--completion memory", "--communicators 2"}) {
    expect_refused("for offload", std::string("offload simulate --engine software ") + option);
    expect_refused("for offload", std::string("offload simulate --engine software-mpi ") + option);
  }
  expect_refused("for --engine offload", "offload simulate --engine software --strict");
  expect_refused("for --engine offload", "offload simulate --engine software --damq-depth 4");
  for (const char* fault : {"--loss 0.999", "--corruption 0.9", "--loss 0.5 --corruption 0.5"})
    expect_refused("times until its response is there", std::string("offload simulate --nodes 16 ") + fault);
  expect_refused("'nan' is not a number between 0 and", "offload radix --ranks 8 --latency nan");
  expect_refused("did you mean uniform?", "offload simulate --arrivals unifrom:5us");
  expect_refused("'infms' is no duration", "offload simulate --arrivals uniform:infms");
  expect_refused("at most 1s apart", "offload simulate --arrivals uniform:2s");
  expect_refused("there are only 128 ranks", "offload simulate --arrivals straggler:rank=128,1ms");
  expect_refused("'nan' is not a number between 0 and 0.999", "offload simulate --loss nan");
  expect_refused("no-such-set", "offload simulate --parameters no-such-set");
  expect_refused("float64", "offload simulate --allreduce and --type float64");
}

}  // namespace
