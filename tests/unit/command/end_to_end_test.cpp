// The command as users meet it: exit statuses, and one line for every mistake.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include "tests/support/temporary.hpp"

namespace {

namespace fs = std::filesystem;

struct Outcome {
  int status;
  std::string output;  // both streams
};

/// `environment` is written as before a shell command, like "TUTTI_WAIT=spin".
Outcome tutti(const std::string& arguments, const std::string& environment = "") {
  const std::string line = environment + " '" TUTTI_COMMAND "' " + arguments + " 2>&1 </dev/null";
  FILE* pipe = popen(line.c_str(), "r");
  Outcome outcome{-1, {}};
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> part{};
  for (size_t got; (got = fread(part.data(), 1, part.size(), pipe)) > 0;)
    outcome.output.append(part.data(), got);
  const int ended = pclose(pipe);
  outcome.status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
  return outcome;
}

/// Expects exit status 2 and exactly one line that holds `part`.
void expect_refused(const std::string& part, const std::string& arguments,
                    const std::string& environment = "", int status = 2) {
  const Outcome outcome = tutti(arguments, environment);
  EXPECT_EQ(outcome.status, status) << arguments << '\n' << outcome.output;
  EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 1) << outcome.output;
  EXPECT_TRUE(outcome.output.starts_with("tutti: ")) << outcome.output;
  EXPECT_NE(outcome.output.find(part), std::string::npos) << outcome.output;
}

std::string file_with(const std::string& name, const std::string& content) {
  const fs::path path = tutti::support::temporary_path(name);
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

TEST(Command, WrongUsage) {
  expect_refused("see tutti --help", "frobnicate");
  expect_refused("see tutti --help", "");
  expect_refused("see tutti --help", "schedule bcast");
  expect_refused("nothing to run", "run");
  expect_refused("nothing to run", "run --");
}

TEST(Command, WrongPrograms) {
  expect_refused("/nonexistent/program: no such command", "run -- /nonexistent/program");
  expect_refused("is statically linked", "run -- '" TUTTI_STATIC_PROGRAM "'");
  expect_refused("cannot tell which MPI", "run -- /bin/true");
}

TEST(Command, ALauncherWithoutAProgram) {
  const std::string launcher = file_with("mpirun.mpich", "#!/bin/sh\n");
  const fs::path path = fs::path(launcher).parent_path() / "mpirun.mpich";
  fs::rename(launcher, path);
  fs::permissions(path, fs::perms::owner_all);
  expect_refused("no program in the launch line", "run -- '" + path.string() + "' -n 4");
  fs::remove(path);
}

TEST(Command, WrongSelection) {
  expect_refused("unknown bcast algorithm 'chian' (did you mean chain?)", "run -- /bin/true",
                 "TUTTI_BCAST=chian");
  expect_refused("TUTTI_WINDOW: 'x' is not a whole number", "run -- /bin/true", "TUTTI_WINDOW=x");
  expect_refused("--set TUTTI_WINDOW: '0' is not between 1 and 64", "run --set WINDOW=0 -- /bin/true");
  expect_refused("unknown setting (did you mean TUTTI_BCAST?)", "run --set BCATS=chain -- /bin/true");
  const std::string rules = file_with("rules", R"({"schema": 1, "rules": [{"collective": "bcast"}]})");
  expect_refused(rules + ": rule 1: \"use\" is missing", "run --rules '" + rules + "' -- /bin/true");
  fs::remove(rules);
}

TEST(Command, AnOptionReplacesABadValueOfTheEnvironment) {
  expect_refused("cannot tell which MPI", "run --set WINDOW=3 -- /bin/true", "TUTTI_WINDOW=x");
}

TEST(Command, DamagedReports) {
  const std::string report = file_with("report", R"({"schema": 1, "mpi": "MPICH"})");
  expect_refused(report + ": is damaged: ", "explain '" + report + "'");
  fs::remove(report);
  expect_refused("cannot be read", "explain /nonexistent/report");
}

TEST(Command, WrongSchedules) {
  expect_refused("unknown collective 'bcats' (did you mean bcast?)", "schedule bcats --algorithm chain");
  expect_refused("unknown bcast algorithm 'chian'", "schedule bcast --algorithm chian");
  expect_refused("--bytes: 'x' is not", "schedule bcast --algorithm chain --bytes x");
  expect_refused("--root 8: there are 8 ranks", "schedule bcast --algorithm chain --root 8");
  expect_refused("--rank 8: there are 8 ranks", "schedule bcast --algorithm chain --rank 8");
  expect_refused("names 2 ranks, but there are 8", "schedule bcast --algorithm chain --nodes 0,1");
  expect_refused("does not apply here", "schedule allreduce --algorithm ring --non-commutative", "", 1);
}

TEST(Command, SchedulesAreVerifiedPrintedAndDrawn) {
  const Outcome verified = tutti("schedule allreduce --algorithm ring --ranks 5 --verify");
  EXPECT_EQ(verified.status, 0) << verified.output;
  EXPECT_TRUE(verified.output.starts_with("verified: ")) << verified.output;
  EXPECT_TRUE(tutti("schedule bcast --algorithm chain --ranks 3 --format dot").output.starts_with("digraph"));
  EXPECT_TRUE(
      tutti("schedule bcast --algorithm chain --ranks 3 --format goal").output.starts_with("num_ranks 3"));
  EXPECT_EQ(tutti("schedule bcast --algorithm chain --ranks 3 --rank 1").status, 0);
}

TEST(Command, InfoIsJsonWhateverTheEnvironmentHolds) {
  for (const char* environment : {"", "TUTTI_WAIT=spin", "TUTTI_REPORT=\"$(printf '\\377')\""}) {
    const Outcome outcome = tutti("info --json", environment);
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    const auto document = nlohmann::json::parse(outcome.output, nullptr, false);
    ASSERT_TRUE(document.is_object()) << outcome.output.substr(0, 300);
    EXPECT_FALSE(document.at("algorithms").empty());
    EXPECT_FALSE(document.at("settings").empty());
    EXPECT_TRUE(document.contains("version"));
  }
}

TEST(Command, HelpAndVersionSucceed) {
  EXPECT_EQ(tutti("--help").status, 0);
  EXPECT_EQ(tutti("--version").status, 0);
  EXPECT_EQ(tutti("schedule --help").status, 0);
}

}  // namespace
