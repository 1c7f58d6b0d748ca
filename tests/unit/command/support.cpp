#include "support.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/temporary.hpp"

namespace tutti::command {

Outcome run_tutti(const std::string& arguments, const std::string& environment, const std::string& command) {
  const std::string line = environment + " '" + command + "' " + arguments + " 2>&1 </dev/null";
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

void expect_refused(const std::string& part, const std::string& arguments, const std::string& environment,
                    int status, const std::string& command) {
  const Outcome outcome = run_tutti(arguments, environment, command);
  EXPECT_EQ(outcome.status, status) << arguments << '\n' << outcome.output;
  EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 1) << outcome.output;
  EXPECT_TRUE(outcome.output.starts_with("tutti: ")) << outcome.output;
  EXPECT_NE(outcome.output.find(part), std::string::npos) << outcome.output;
}

Words words(const std::string& text) {
  std::istringstream stream(text);
  Words result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

std::string file_with(const std::string& name, const std::string& content) {
  const std::filesystem::path path = tutti::support::temporary_path(name);
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

}  // namespace tutti::command
