// Commands in front of others: every row of the table, and what is no such command.

#include "command/prefix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "command/launcher.hpp"
#include "tests/unit/command/support.hpp"

namespace tutti::command {
namespace {

/// The program that is started in the end, with its arguments.
std::string behind(const std::string& text) {
  const Words line = words(text);
  std::string rest;
  for (size_t i = read_prefix(line).command; i < line.size(); ++i)
    rest += (rest.empty() ? "" : " ") + line[i];
  return rest;
}

std::string hidden_by(const std::string& text) {
  return read_prefix(words(text)).hides_preload;
}

// Each of them with options of every kind that it has; what is started is always ./a -n 3.
constexpr const char* k_lines[] = {
    "env",
    "env -u A -C /tmp --unset=B --chdir / -- B=c C=d",
    "env - A=b",
    "env -iu A -",
    "/usr/bin/env A=b",
    "timeout 60",
    "timeout -k 5 -s KILL --foreground 1m",
    "timeout --kill-after=5 --signal TERM -v 60",
    "timeout -k5 --sig KILL -- 60",
    "nice",
    "nice -n 10",
    "nice -n10",
    "nice -10",
    "nice --adjustment 5",
    "ionice -c 3",
    "ionice -c2 -n 7 -t",
    "nohup",
    "setsid",
    "setsid -fw",
    "chrt 10",
    "chrt -f 10",
    "chrt -b",
    "chrt -d -T 5 --sched-period 10 -D 10 0",
    "taskset f",
    "taskset -c 0-3,7",
    "taskset -ac 0",
    "taskset --cpu-list 0",
    "numactl --interleave=all",
    "numactl -N 0 -m 0 -l",
    "numactl -N0 --membind 0",
    "numactl -C +0-3 --localalloc --",
    "hwloc-bind socket:0",
    "hwloc-bind --single core:1 --",
    "stdbuf -o L",
    "stdbuf -oL -e 0 --input=0",
    "time",
    "/usr/bin/time -f %e -o file -a",
    "/usr/bin/time -v",
    "xvfb-run -a -s -screen",
    "xvfb-run --auto-servernum --server-num 7",
    "perf stat",
    "perf stat -e cycles -r 3 --",
    "perf record -g -F 99 -o file --call-graph dwarf",
    "strace -f -e trace=open -o file",
    "strace -ff -o file --trace network",
    "ltrace -f -o file",
    "catchsegv",
    "valgrind --tool=memcheck -q",
    "setarch x86_64 -R",
    "setarch -R",
    "prlimit --nofile=64",
    "choom -n 500 --",
    "flock file",
    "flock -n -w 3 file",
    "cpulimit -l 50 --",
    "tini -s --",
    "dumb-init --",
    "unbuffer",
};

TEST(Prefix, WhatIsStartedInTheEnd) {
  for (const std::string line : k_lines) EXPECT_EQ(behind(line + " ./a -n 3"), "./a -n 3") << line;
}

TEST(Prefix, OneBehindTheOther) {
  for (const std::string first : k_lines)
    for (const std::string second : k_lines)
      EXPECT_EQ(behind(first + ' ' + second + " ./a x"), "./a x") << first << ' ' << second;
}

TEST(Prefix, EveryRowIsTried) {
  for (const std::string& name : known_prefixes())
    EXPECT_TRUE(std::ranges::any_of(k_lines, [&](const std::string& line) {
      return line == name || line.starts_with(name + ' ');
    })) << name;
}

TEST(Prefix, WithoutACommandItIsTheProgramItself) {
  for (const std::string line :
       {"env", "env A=b", "env -S x", "timeout", "timeout 60", "nice -n", "taskset -p 123", "taskset f",
        "chrt -p 10 123", "ionice -p 1", "ionice -c", "perf report", "perf", "perf list ./a", "numactl -H",
        "prlimit --pid -p 3", "strace -p"})
    EXPECT_EQ(behind(line), line);
}

TEST(Prefix, NothingElseStandsInFront) {
  for (const std::string line : {"./a", "mpirun -n 2 ./a", "./env ./a", "bin/time ./a", "/folder/env ./a",
                                 "sudo ./a", "environment ./a"})
    EXPECT_EQ(behind(line), line);
  EXPECT_EQ(read_prefix({}).command, 0u);
}

TEST(Prefix, WhatTakesThePreloadAway) {
  EXPECT_EQ(hidden_by("env -u LD_PRELOAD ./a"), "env -u LD_PRELOAD");
  EXPECT_EQ(hidden_by("env -uLD_PRELOAD ./a"), "env -u LD_PRELOAD");
  EXPECT_EQ(hidden_by("nice env --unset LD_PRELOAD ./a"), "env --unset=LD_PRELOAD");
  EXPECT_EQ(hidden_by("timeout 5 env -i A=b ./a"), "env -i");
  EXPECT_EQ(hidden_by("env - ./a"), "env -");
  EXPECT_EQ(hidden_by("env --ignore-env ./a"), "env --ignore-environment");
  EXPECT_EQ(hidden_by("env LD_PRELOAD=x.so ./a"), "env LD_PRELOAD=…");
  EXPECT_EQ(hidden_by("env -u A B=LD_PRELOAD ./a -u LD_PRELOAD"), "");
  EXPECT_EQ(hidden_by("stdbuf -i 0 ./a"), "");
}

TEST(Prefix, EndsWhereSomethingElseBegins) {
  const Words line = words("mpirun -n 1 nice -n 3 ./a : -n 1 env : ./b");
  const auto programs = programs_of(Launcher::hydra, line);
  ASSERT_EQ(programs.size(), 3u);
  EXPECT_EQ(line[programs[0].command], "./a");
  EXPECT_EQ(line[programs[1].command], "env") << "the colon is the launcher's";
  EXPECT_EQ(line[programs[2].command], "./b");
}

/// Any words: nothing is read beyond the end, and the command is one of the words.
TEST(Prefix, RandomLines) {
  std::mt19937 random(48);
  Words vocabulary = {"-",  "--",  "-n",     "-u", "-i", "--x", "--unset", "A=b",
                      "60", "./a", "mpirun", ":",  "",   "-c",  "stat"};
  for (const std::string& name : known_prefixes()) vocabulary.push_back(name);
  for (int round = 0; round < 20'000; ++round) {
    Words line(1 + random() % 8);
    for (std::string& word : line) word = vocabulary[random() % vocabulary.size()];
    const size_t first = random() % line.size(), end = first + random() % (line.size() - first + 2);
    const Prefix prefix = read_prefix(line, first, end);
    EXPECT_GE(prefix.command, first);
    EXPECT_TRUE(prefix.command == first || prefix.command < std::min(end, line.size()));
  }
}

}  // namespace
}  // namespace tutti::command
