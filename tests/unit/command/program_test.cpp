// Tests the output of ldd about a program, and real files.

#include "command/program.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/executable.hpp"
#include "command/explain.hpp"
#include "tests/support/temporary.hpp"

namespace tutti::command {
namespace {

namespace fs = std::filesystem;
using Kind = ProgramFacts::Kind;

TEST(FactsFromLdd, TheTwoMpis) {
  const ProgramFacts mpich = facts_from_ldd(
      "\tlinux-vdso.so.1 (0x00007ffd)\n\tlibmpich.so.12 => /lib/x86_64-linux-gnu/libmpich.so.12 "
      "(0x00007f)\n");
  EXPECT_EQ(mpich.kind, Kind::dynamic);
  EXPECT_EQ(mpich.mpi, Mpi::mpich);
  EXPECT_FALSE(mpich.other_mpi);
  EXPECT_EQ(facts_from_ldd("\tlibmpi.so.40 => /lib/libmpi.so.40 (0x00007f)\n").mpi, Mpi::openmpi);
  EXPECT_EQ(facts_from_ldd("\tlibmpich.so.12 => not found\n").mpi, Mpi::mpich);
  EXPECT_EQ(facts_from_ldd("\tlibasan.so.8 => /lib/libasan.so.8 (0x00007f)\n").first_library,
            "/lib/libasan.so.8");
  EXPECT_EQ(facts_from_ldd("\tlibasan.so.8 => not found\n").first_library, "");
}

TEST(FactsFromLdd, OtherMpisAndNone) {
  const ProgramFacts other = facts_from_ldd("\tlibmpi.so.12 => /opt/lib/libmpi.so.12 (0x00007f)\n");
  EXPECT_EQ(other.mpi, std::nullopt);
  EXPECT_TRUE(other.other_mpi);
  EXPECT_TRUE(facts_from_ldd("\tlibmpi_abi.so.0 => not found\n").other_mpi);
  const ProgramFacts none = facts_from_ldd("\tlibc.so.6 => /lib/libc.so.6 (0x00007f)\n");
  EXPECT_EQ(none.mpi, std::nullopt);
  EXPECT_FALSE(none.other_mpi);
  EXPECT_EQ(none.kind, Kind::dynamic);
}

TEST(FactsFromLdd, Static) {
  EXPECT_EQ(facts_from_ldd("\tnot a dynamic executable\n").kind, Kind::is_static);
  EXPECT_EQ(facts_from_ldd("\tstatically linked\n").kind, Kind::is_static);
}

class Inspect : public testing::Test {
 protected:
  ~Inspect() override { fs::remove(path_); }
  fs::path file(const std::string& content) {
    std::ofstream(path_, std::ios::binary) << content;
    fs::permissions(path_, fs::perms::owner_all);
    return path_;
  }
  const fs::path path_ =
      support::temporary_path(testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(Inspect, ThisProgramIsDynamicAndWithoutMpi) {
  const auto facts = inspect_program(fs::canonical("/proc/self/exe"));
  ASSERT_TRUE(facts) << facts.status().message();
  EXPECT_EQ(facts->kind, Kind::dynamic);
  EXPECT_EQ(facts->mpi, std::nullopt);
}

TEST_F(Inspect, AStaticProgram) {
  const auto facts = inspect_program(TUTTI_STATIC_PROGRAM);
  ASSERT_TRUE(facts) << facts.status().message();
  EXPECT_EQ(facts->kind, Kind::is_static);
}

TEST_F(Inspect, TheDynamicLinkerIsAsAScript) {
  const fs::path linker = "/lib64/ld-linux-x86-64.so.2";
  if (!fs::exists(linker)) GTEST_SKIP() << "another machine's";
  EXPECT_EQ(inspect_program(linker).value().kind, Kind::script);
}

TEST_F(Inspect, AScript) {
  const auto facts = inspect_program(file("#!/bin/sh\nexit 0\n"));
  ASSERT_TRUE(facts) << facts.status().message();
  EXPECT_EQ(facts->kind, Kind::script);
}

TEST_F(Inspect, AnEmptyFileAndADamagedOne) {
  EXPECT_EQ(inspect_program(file("")).value().kind, Kind::script);
  EXPECT_EQ(inspect_program(file("\177ELF broken")).value().kind, Kind::is_static)
      << "nothing to preload into";
}

TEST_F(Inspect, WhatCannotBeReadSaysSo) {
  const auto missing = inspect_program("/nonexistent/program");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.status().message(), "cannot read /nonexistent/program: No such file or directory");
  fs::permissions(file("secret"), fs::perms::none);
  constexpr uid_t k_nobody = 65534;
  const bool is_root = geteuid() == 0;  // root can read all files
  if (is_root && seteuid(k_nobody) != 0) GTEST_SKIP() << "root reads everything, and nobody is unknown here";
  const auto secret = inspect_program(path_);
  if (is_root) {
    ASSERT_EQ(seteuid(0), 0);
  }
  ASSERT_FALSE(secret);
  EXPECT_EQ(secret.status().message(), "cannot read " + path_.string() + ": Permission denied");
}

TEST_F(Inspect, FindExecutable) {
  EXPECT_EQ(base::find_executable(file("#!/bin/sh\n").string()), path_);
  fs::permissions(path_, fs::perms::owner_read);
  EXPECT_EQ(base::find_executable(path_.string()), std::nullopt);
  EXPECT_EQ(base::find_executable("/"), std::nullopt);
  EXPECT_TRUE(base::find_executable("sh").has_value());
  EXPECT_EQ(base::find_executable("no_such_command_anywhere"), std::nullopt);
}

constexpr std::string_view k_report = R"({"schema": 1, "mpi": "MPICH 4", "ranks": 8, "nodes": 4,
  "elapsed_ns": 1500000000, "calls": [{"collective": "bcast", "least_bytes": 65536, "most_bytes": 131071,
  "choice": "chain", "reason": "site\nrule", "calls": 100, "bytes": 6553600, "time_ns": 4200000}]})";

TEST(FormatReport, ATableWithTwoLinesPerCall) {
  const auto text = format_report(k_report);
  ASSERT_TRUE(text) << text.status().message();
  EXPECT_TRUE(text->starts_with("MPICH 4, 8 ranks on 4 nodes, 1.500 s; numbers of rank 0\n")) << *text;
  EXPECT_NE(text->find("64K..131071"), std::string::npos);
  EXPECT_NE(text->find("42.0  chain\n                     site rule\n"), std::string::npos) << *text;
  EXPECT_EQ(std::count(text->begin(), text->end(), '\n'), 4);
}

constexpr std::string_view k_sites = R"({"schema": 1, "mpi": "MPICH 4", "ranks": 8, "nodes": 4,
  "elapsed_ns": 1500000000, "calls": [], "unlisted_sites": 2, "sites": [{"collective": "ibcast",
  "kind": "nonblocking", "ranks": 8, "nodes": 4, "bytes": 65536, "calls": 300, "elapsed_ns": 9000000,
  "loss_ns": 100000, "choice": "chain", "reason": "0.50 of the time of native", "is_exploring": false,
  "candidates": [{"candidate": "native", "trials": 12, "median_ns": 40000, "is_dropped": true},
                 {"candidate": "chain", "trials": 32, "median_ns": 20000, "is_dropped": false},
                 {"candidate": "linear", "trials": 0, "median_ns": 0, "is_dropped": false}],
  "switches": [{"call": 57, "from": "native", "to": "chain", "why": "faster", "ratio": 0.5, "trials": 8},
    {"call": 90, "from": "chain", "to": "chain", "why": "drift", "ratio": 1.4, "trials": 2}]}]})";

TEST(FormatReport, CallSitesWithTheirCandidates) {
  const auto text = format_report(k_sites);
  ASSERT_TRUE(text) << text.status().message();
  for (const char* line :
       {"ibcast of 64K, 8 ranks on 4 nodes: 300 calls\n  chain: 0.50 of the time of native\n",
        "trials cost 0.100 of 9.000 ms\n", " 12          40.0  dropped\n", " 32          20.0  chosen\n",
        " 0             -  not compared\n", "from call 57 on chain instead of native: 50 % less, 8 trials\n",
        "at call 90 chain cost 40 % more than before: all candidates were tried again\n",
        "2 further call sites are not listed\n"})
    EXPECT_NE(text->find(line), std::string::npos) << line << *text;
}

TEST(FormatReport, DamagedCallSites) {
  for (const char* word :
       {"\"candidates\"", "\"trials\"", "\"is_dropped\"", "\"ratio\"", "\"unlisted_sites\""}) {
    std::string text(k_sites);
    text.replace(text.find(word) + 1, 1, "X");
    EXPECT_TRUE(format_report(text).status().message().starts_with("is damaged: ")) << word;
  }
}

TEST(FormatReport, WhatIsNoReportSaysWhatItIs) {
  const auto message = [](std::string_view text) { return format_report(text).status().message(); };
  EXPECT_TRUE(message(R"({"schema": 1, "rules": []})").starts_with("is a rules file, not a report"));
  EXPECT_TRUE(message("{\n x").ends_with("line 2, column 2: is not valid JSON")) << message("{\n x");
}

TEST(FormatReport, DamagedReports) {
  for (const char* text : {"", "[]", "{}", R"({"schema": 2})", "{\"schema\": 1"})
    EXPECT_TRUE(format_report(text).status().message().starts_with("is no report of Tutti")) << text;
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"\"ranks\": 8", "\"ranks\": 1e300"},
                                                        {"\"calls\": 100", "\"calls\": -1"},
                                                        {"\"mpi\"", "\"api\""},
                                                        {"\"chain\"", "null"},
                                                        {"6553600", "\"many\""},
                                                        {"\"most_bytes\"", "\"x\""}}) {
    std::string text(k_report);
    const auto report = format_report(text.replace(text.find(from), from.size(), to));
    ASSERT_FALSE(report) << to;
    EXPECT_TRUE(report.status().message().starts_with("is damaged: ")) << report.status().message();
    EXPECT_EQ(report.status().message().find("json."), std::string::npos) << report.status().message();
    EXPECT_EQ(report.status().message().find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace tutti::command
