// tutti fabric as users meet it: files go round, tables are verified, mistakes are one line.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/temporary.hpp"
#include "tests/unit/command/support.hpp"

namespace {

using namespace tutti::command;

/// A name in the tests' own folder, quoted for the shell.
std::string quoted(const std::string& name) {
  return "'" + tutti::support::temporary_path(name).string() + "'";
}

std::string content(const std::string& name) {
  std::ifstream file(tutti::support::temporary_path(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void expect_done(const std::string& arguments, const std::string& part = "") {
  const Outcome outcome = run_tutti(arguments);
  EXPECT_EQ(outcome.status, 0) << arguments << '\n' << outcome.output;
  EXPECT_NE(outcome.output.find(part), std::string::npos) << outcome.output;
}

TEST(FabricCommand, FilesGoRound) {
  expect_done("fabric generate fat-tree:ports=4 --out " + quoted("net") + " --groups grid:4x4 --groups-out " +
              quoted("groups"));
  expect_done("fabric show " + quoted("net") + " " + quoted("groups"), "switches     20");
  expect_done("fabric route " + quoted("net") + " " + quoted("groups") + " --colours 8 --bounds --dump " +
                  quoted("tables") + " --mlids " + quoted("mlids") + " --json " + quoted("routing.json"),
              "verified");
  expect_done("fabric verify " + quoted("net") + " " + quoted("groups") + " --dump " + quoted("tables") +
                  " --mlids " + quoted("mlids") + " --colours 8",
              "verified: 8 groups");
  const auto routing = nlohmann::json::parse(content("routing.json"));
  EXPECT_EQ(routing["metrics"]["groups"], 8);
  EXPECT_EQ(routing["mlids"].size(), 8u);
  EXPECT_TRUE(routing["bounds"]["efi"]["value"].is_number());
}

TEST(FabricCommand, TheVerifierRefusesDamagedTables) {
  expect_done("fabric route fat-tree:ports=4 grid:4x4 --dump " + quoted("tables2") + " --mlids " +
              quoted("mlids2"));
  std::string tables = content("tables2");
  tables.erase(tables.find(": 0x") + 2, 5);  // the first port of the first entry
  const std::string damaged = file_with("damaged", tables);
  expect_refused(
      "MLID", "fabric verify fat-tree:ports=4 grid:4x4 --dump '" + damaged + "' --mlids " + quoted("mlids2"),
      "", 1);
}

/// The words of /proc/PID/stat behind the name of the program: the state, and so on.
std::vector<std::string> stat_words(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  std::istringstream rest(line.substr(line.find(") ") + 2));
  return {std::istream_iterator<std::string>(rest), {}};
}

/// Whether a process has used a fifth of a second of CPU time, or has ended.
bool is_working(pid_t pid) {
  constexpr size_t k_state = 0, k_user_time = 11;
  const auto words = stat_words(pid);
  return words[k_state] == "Z" || std::stol(words[k_user_time]) > sysconf(_SC_CLK_TCK) / 5;
}

/// Seconds of work lie before and after the interruption.
TEST(FabricCommand, InterruptedGenerateWritesNothing) {
  const std::filesystem::path folder = tutti::support::temporary_path("interrupted");
  std::filesystem::create_directory(folder);
  const pid_t child = fork();
  if (child == 0) {
    const std::string net = folder / "net", groups = folder / "groups";
    execl(TUTTI_COMMAND, "tutti", "fabric", "generate", "taihulight", "--out", net.c_str(), "--groups",
          "random:groups=100000,size=100", "--groups-out", groups.c_str(), nullptr);
    _exit(127);
  }
  while (!is_working(child)) usleep(10'000);
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST(FabricCommand, ASwitchIsAMemberByItsOwnPort) {
  const std::string groups = file_with("switch-groups", "ff18::1 0x0010000000000002 0x0020000000000002\n");
  expect_done("fabric route fat-tree:ports=4 '" + groups + "' --dump " + quoted("tables3") + " --mlids " +
                  quoted("mlids3"),
              "verified");
  EXPECT_NE(content("tables3").find(" 0x000 "), std::string::npos) << content("tables3");
  expect_done("fabric verify fat-tree:ports=4 '" + groups + "' --dump " + quoted("tables3") + " --mlids " +
                  quoted("mlids3"),
              "verified: 1 groups");
}

TEST(FabricCommand, TheLimitHoldsForEveryAlgorithm) {
  const std::string files = " --dump " + quoted("tables4") + " --mlids " + quoted("mlids4");
  const Outcome outcome =
      run_tutti("fabric route fat-tree:ports=4 grid:4x4 --algorithm minihop-mc --colours 7" + files);
  EXPECT_EQ(outcome.status, 1) << outcome.output;
  EXPECT_EQ(outcome.output.find("verified"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("minihop-mc takes 8 colours, but only 7 are allowed"), std::string::npos)
      << outcome.output;
  expect_refused("only 7 entries are allowed", "fabric verify fat-tree:ports=4 grid:4x4 --colours 7" + files,
                 "", 1);
  expect_done("fabric route fat-tree:ports=4 grid:4x4 --algorithm minihop-mc --colours 8", "verified");
  const Outcome json = run_tutti(
      "fabric route fat-tree:ports=4 grid:4x4 --algorithm sssp-mc --colours 7 --metrics-only --json -");
  EXPECT_EQ(json.status, 1);
  EXPECT_NE(json.output.find("tutti: the verifier says: sssp-mc takes 8 colours"), std::string::npos)
      << "also where standard output has something else: " << json.output;
}

TEST(FabricCommand, BoundsOfOneSwitchHaveReasons) {
  const std::string output = run_tutti("fabric route torus:size=1,hosts=4 grid:4 --bounds").output;
  EXPECT_NE(output.find("EFI than 0 (no group has members at two switches"), std::string::npos) << output;
  EXPECT_EQ(output.find("()"), std::string::npos) << output;
}

TEST(FabricCommand, ComparesAndDraws) {
  expect_done("fabric compare fat-tree:ports=4 grid:4x4 --colours 4 --json " + quoted("rows.json"),
              "minihop-mc");
  EXPECT_EQ(nlohmann::json::parse(content("rows.json")).size(), 7u);
  expect_done("fabric draw torus:size=3x3,hosts=1 grid:3x3 --group ff18::2", "graph fabric {");
  expect_done("fabric draw fat-tree:ports=4 --hosts", "h15");
}

TEST(FabricCommand, MistakesAreOneLine) {
  expect_refused("see tutti fabric ", "fabric frobnicate");
  expect_refused("did you mean", "fabric show fat-tree:ports=4 gird:4x4");
  expect_refused("No such file", "fabric show /nonexistent/net");
  expect_refused("too few", "fabric route fat-tree:ports=4 grid:40x40");
  expect_refused("see tutti fabric ", "fabric route fat-tree:ports=4 grid:4x4 --colours 99999");
  expect_refused("see tutti fabric ", "fabric route fat-tree:ports=4 grid:4x4 --algorithm best");
  expect_refused("there is no group", "fabric draw fat-tree:ports=4 grid:4x4 --group ff18::99");
  expect_refused("go together", "fabric draw fat-tree:ports=4 grid:4x4");
  expect_refused("cannot write", "fabric generate fat-tree:ports=4 --out /nonexistent/net");
  expect_refused("damaged.net:1: 'hello'", "fabric show '" + file_with("damaged.net", "hello\n") + "'");
}

}  // namespace
