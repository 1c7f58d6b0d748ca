// The rules file: what it may say, and that every mistake gets one line with its place.

#include "select/rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "algorithm/catalogue.hpp"
#include "tests/support/temporary.hpp"

namespace tutti::select {
namespace {

using algorithm::Collective;

std::string file_of(const std::string& rules) {
  return R"({"schema": 1, "rules": [)" + rules + "]}";
}

std::vector<Rule> parse(const std::string& rules) {
  auto parsed = parse_rules(file_of(rules), "site.json");
  EXPECT_TRUE(parsed) << parsed.status().message();
  return parsed ? *parsed : std::vector<Rule>{};
}

Rule parse_one(const std::string& members) {
  const std::vector<Rule> rules = parse(R"({"collective": "bcast", "use": "native")" + members + '}');
  EXPECT_EQ(rules.size(), 1u);
  return rules.empty() ? Rule{} : rules[0];
}

/// The message about a whole file, without the origin that every message has to start with.
std::string error_of_file(const std::string& text) {
  const auto parsed = parse_rules(text, "site.json");
  EXPECT_FALSE(parsed) << text;
  if (parsed) return {};
  EXPECT_EQ(parsed.status().code(), base::Code::invalid_argument);
  const std::string message = parsed.status().message();
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_TRUE(message.starts_with("site.json: ")) << message;
  return message.substr(std::min(message.size(), std::string("site.json: ").size()));
}

/// The message about the second rule, after a good one.
std::string error_of_rule(const std::string& rule) {
  const std::string message = error_of_file(file_of(R"({"collective": "bcast", "use": "linear"}, )" + rule));
  EXPECT_TRUE(message.starts_with("rule 2: ")) << message;
  return message.substr(std::min(message.size(), std::string("rule 2: ").size()));
}

std::string error_of_bytes(const std::string& range) {
  return error_of_rule(R"({"collective": "bcast", "use": "linear", "bytes": )" + range + '}');
}

TEST(Rules, EverythingThatARuleMaySay) {
  const std::vector<Rule> rules = parse(R"({"collective": "bcast", "ranks": [2, 64], "nodes": [2, null],
      "ranks_per_node": [null, 8], "bytes": ["64K", 131072], "use": "chain:segment=8K", "because": "measured"})");
  ASSERT_EQ(rules.size(), 1u);
  const Rule& rule = rules[0];
  EXPECT_EQ(rule.collective, Collective::bcast);
  EXPECT_EQ(rule.ranks.least, 2u);
  EXPECT_EQ(rule.ranks.most, 64u);
  EXPECT_EQ(rule.nodes.least, 2u);
  EXPECT_EQ(rule.nodes.most, UINT64_MAX);
  EXPECT_EQ(rule.ranks_per_node.least, 0u);
  EXPECT_EQ(rule.ranks_per_node.most, 8u);
  EXPECT_EQ(rule.bytes.least, 65536u);
  EXPECT_EQ(rule.bytes.most, 131072u);
  EXPECT_EQ(to_string(rule.use), "chain:segment=8K");
  EXPECT_EQ(rule.because, "measured");
  EXPECT_EQ(rule.origin, "site.json, rule 1");
}

TEST(Rules, WhatIsMissingIsAny) {
  const Rule rule = parse_one("");
  EXPECT_TRUE(rule.ranks.is_any());
  EXPECT_TRUE(rule.nodes.is_any());
  EXPECT_TRUE(rule.ranks_per_node.is_any());
  EXPECT_TRUE(rule.bytes.is_any());
  EXPECT_TRUE(rule.use.is_native());
  EXPECT_TRUE(parse_one(R"(, "bytes": null)").bytes.is_any());
  EXPECT_TRUE(parse_one(R"(, "bytes": [null, null])").bytes.is_any());
}

TEST(Rules, RangesIncludeBothEnds) {
  const Range range = parse_one(R"(, "bytes": ["1K", "2K"])").bytes;
  EXPECT_FALSE(range.contains(1023));
  EXPECT_TRUE(range.contains(1024));
  EXPECT_TRUE(range.contains(2048));
  EXPECT_FALSE(range.contains(2049));
  EXPECT_TRUE(parse_one(R"(, "bytes": [5, 5])").bytes.contains(5));
  EXPECT_EQ(parse_one(R"(, "bytes": [18446744073709551615, null])").bytes.least, UINT64_MAX);
}

TEST(Rules, AnEmptyListIsFine) {
  EXPECT_TRUE(parse("").empty());
}

TEST(Rules, OrderIsKept) {
  const auto rules =
      parse(R"({"collective": "bcast", "use": "linear"}, {"collective": "scan", "use": "native"})");
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].collective, Collective::bcast);
  EXPECT_EQ(rules[1].origin, "site.json, rule 2");
}

TEST(RulesErrors, NotJson) {
  for (const char* text : {"", "{", "rules", "{\"schema\": 1,}", "\xff\xfe", "{\"schema\": 1} x"})
    EXPECT_TRUE(error_of_file(text).ends_with(": is not valid JSON")) << text;
  EXPECT_EQ(error_of_file("{\"schema\": 1,\n \"rules\": [}"), "line 2, column 12: is not valid JSON");
}

TEST(RulesErrors, WrongSchema) {
  for (const char* text : {"[]", "7", "null", "{}", R"({"schema": 2, "rules": []})",
                           R"({"schema": "1", "rules": []})", R"({"schema": [1], "rules": []})"})
    EXPECT_EQ(error_of_file(text), "is not a rules file (it needs \"schema\": 1)") << text;
}

TEST(RulesErrors, NoRules) {
  for (const char* text :
       {R"({"schema": 1})", R"({"schema": 1, "rules": {}})", R"({"schema": 1, "rules": null})"})
    EXPECT_EQ(error_of_file(text), "has no array \"rules\"") << text;
}

TEST(RulesErrors, ARuleIsNoObject) {
  for (const char* rule : {"1", "[]", "null", "\"bcast\""})
    EXPECT_EQ(error_of_rule(rule), "a rule is an object");
}

TEST(RulesErrors, UnknownKey) {
  EXPECT_EQ(error_of_rule(R"({"collective": "bcast", "use": "linear", "byte": null})"),
            "unknown key 'byte' (did you mean bytes?)");
  EXPECT_EQ(error_of_rule(R"({"collective": "bcast", "use": "linear", "a\nb": 1})"), "unknown key 'a\\x0ab'");
}

TEST(RulesErrors, UnknownKeyAtTheTop) {
  EXPECT_EQ(error_of_file(R"({"schema": 1, "rules": [], "rule": []})"),
            "unknown key 'rule' (did you mean rules?)");
  EXPECT_TRUE(parse_rules(R"({"$schema": "rules.schema.json", "schema": 1, "rules": []})", "file").is_ok());
}

TEST(RulesErrors, CollectiveAndUseAreNeeded) {
  EXPECT_EQ(error_of_rule(R"({"use": "linear"})"), "\"collective\" is missing");
  EXPECT_EQ(error_of_rule(R"({"collective": 3, "use": "linear"})"), "\"collective\" is not a text");
  EXPECT_EQ(error_of_rule(R"({"collective": "bcast"})"), "\"use\" is missing");
  EXPECT_EQ(error_of_rule(R"({"collective": "bcast", "use": null})"), "\"use\" is not a text");
  EXPECT_EQ(error_of_rule(R"({"collective": "bcast", "use": "linear", "because": 1})"),
            "\"because\" is not a text");
}

TEST(RulesErrors, UnknownNames) {
  EXPECT_EQ(error_of_rule(R"({"collective": "allreduc", "use": "native"})"),
            "unknown collective 'allreduc' (did you mean allreduce?)");
  EXPECT_EQ(error_of_rule(R"({"collective": "x\ty", "use": "native"})"), "unknown collective 'x\\x09y'");
  EXPECT_TRUE(error_of_rule(R"({"collective": "bcast", "use": "chian"})")
                  .starts_with("unknown bcast algorithm 'chian' (did you mean chain?)"));
  EXPECT_TRUE(
      error_of_rule(R"({"collective": "bcast", "use": ""})").starts_with("unknown bcast algorithm ''"));
  EXPECT_TRUE(error_of_rule(R"({"collective": "bcast", "use": "chain:segmen=4K"})")
                  .starts_with("unknown parameter of bcast chain 'segmen' (did you mean segment?)"));
  EXPECT_TRUE(error_of_rule(R"({"collective": "bcast", "use": "chain:segment=lots"})")
                  .starts_with("bcast chain: segment: 'lots'"));
}

TEST(RulesErrors, Ranges) {
  EXPECT_EQ(error_of_bytes("[2, 1]"), "\"bytes\": the least is above the most");
  EXPECT_EQ(error_of_bytes(R"(["1M", "1K"])"), "\"bytes\": the least is above the most");
  for (const char* range : {"[]", "[1]", "[1, 2, 3]", "1", "\"1K\"", "{}", "true"})
    EXPECT_EQ(error_of_bytes(range), "\"bytes\": a range is [least, most]") << range;
  for (const char* range : {"[-1, null]", "[1.5, null]", "[true, null]", "[null, []]", "[null, 1e30]",
                            "[0, 18446744073709551616]"})
    EXPECT_EQ(error_of_bytes(range), "\"bytes\": a bound is a whole number, a text like \"64K\", or null")
        << range;
  EXPECT_EQ(error_of_bytes(R"(["64X", null])"), "\"bytes\": '64X' is not a whole number");
  EXPECT_EQ(error_of_bytes(R"([null, "99999999999G"])"), "\"bytes\": '99999999999G' is too large");
}

TEST(RulesErrors, AKeyGivenTwice) {
  EXPECT_EQ(error_of_file("{\"schema\": 1, \"rules\": [\n{\"collective\": \"bcast\", \"use\": \"linear\", "
                          "\"use\": \"chain\"}]}"),
            "line 2, column 46: key 'use' is given twice");
  EXPECT_EQ(error_of_file(R"({"schema": 1, "rules": [], "rules": []})"),
            "line 1, column 34: key 'rules' is given twice");
}

TEST(RulesErrors, DeepNestingIsAnErrorLikeAnyOther) {
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  EXPECT_EQ(error_of_bytes('[' + deep + ", 1]"),
            "\"bytes\": a bound is a whole number, a text like \"64K\", or null");
  EXPECT_EQ(error_of_file(std::string(200000, '[')), "line 1, column 200000: is not valid JSON");
}

TEST(RulesErrors, AnExtremelyLongWordStaysReadable) {
  EXPECT_LT(error_of_rule(R"({"collective": ")" + std::string(100000, 'x') + R"(", "use": "native"})").size(),
            400u);
}

TEST(Rules, KindsOfCallsProgressAndEvidenceReadBack) {
  const auto rules = parse_rules(
      file_of(
          R"({"collective": "alltoall", "calls": "persistent", "ranks": [null, 7], "bytes": ["64K", 131071],
                  "use": "ring:steps=4@thread_shared:wait=sleep",
                  "evidence": {"samples": 3, "median_ns": 5, "native_ns": 7}})"),
      "file");
  ASSERT_TRUE(rules) << rules.status().message();
  const Rule& rule = rules->at(0);
  EXPECT_EQ(rule.calls, CallInterface::persistent);
  EXPECT_EQ(rule.use.progress.mode, ProgressMode::thread_shared);
  EXPECT_EQ(rule.use.progress.wait, engine::WaitPolicy::sleep);
  EXPECT_EQ(rule.evidence, (Evidence{3, 5, 7}));
  const auto again = parse_rules(format_rules(*rules), "file");
  ASSERT_TRUE(again) << again.status().message();
  EXPECT_EQ(again->at(0).ranks, rule.ranks);
  EXPECT_EQ(again->at(0).bytes, rule.bytes);
  EXPECT_EQ(again->at(0).use, rule.use);
  EXPECT_EQ(again->at(0).evidence, rule.evidence);
}

TEST(Rules, AnMpiReadsBackAndHoldsForNoOther) {
  const auto rules = parse_rules(file_of(R"({"collective": "scan", "mpi": "mpich", "use": "linear"},
                                            {"collective": "scan", "use": "recursive_doubling"})"),
                                 "file");
  ASSERT_TRUE(rules) << rules.status().message();
  const auto again = parse_rules(format_rules(*rules), "file");
  ASSERT_TRUE(again) << again.status().message();
  EXPECT_EQ(again->at(0).mpi, "mpich");
  EXPECT_TRUE(again->at(0).holds_with("mpich"));
  EXPECT_FALSE(again->at(0).holds_with("openmpi"));
  EXPECT_FALSE(again->at(0).holds_with("")) << "an MPI that nothing is known of";
  EXPECT_TRUE(again->at(1).holds_with("openmpi"));
  EXPECT_EQ(error_of_rule(R"({"collective": "scan", "mpi": "lam", "use": "linear"})"),
            "\"mpi\" is mpich, openmpi or threads, not 'lam'");
  EXPECT_EQ(error_of_rule(R"({"collective": "scan", "mpi": ["mpich"], "use": "linear"})"),
            "\"mpi\" is not a text");
}

TEST(Rules, BuiltInRulesCanBeWritten) {
  const auto rules = parse_rules(default_rules_text(), "built-in");
  const auto again = parse_rules(format_rules(*rules), "written");
  ASSERT_TRUE(again) << again.status().message();
  ASSERT_EQ(again->size(), rules->size());
  EXPECT_EQ(format_rules(*again), format_rules(*rules));
}

TEST(RulesErrors, KindsAndEvidence) {
  EXPECT_EQ(error_of_rule(R"({"collective": "bcast", "use": "chain", "calls": "async"})"),
            "\"calls\" is one of blocking, nonblocking, persistent, not 'async'");
  EXPECT_EQ(error_of_rule(R"({"collective": "bcast", "use": "chain", "evidence": 3})"),
            "\"evidence\": is not an object");
  EXPECT_EQ(error_of_rule(R"({"collective": "bcast", "use": "chain", "evidence": {"sample": 3}})"),
            "\"evidence\": unknown key 'sample' (did you mean samples?)");
  EXPECT_EQ(error_of_rule(R"({"collective": "bcast", "use": "chain", "evidence": {"samples": -3}})"),
            "\"evidence\": \"samples\" is not a whole number");
  EXPECT_EQ(error_of_rule(R"({"collective": "bcast", "use": "native@inline"})"),
            "the native MPI makes progress its own way: 'native@inline' should be native");
}

TEST(LoadRules, ReadsAFileAndNamesIt) {
  const auto path = support::temporary_path("load_rules.json");
  std::ofstream(path) << file_of(R"({"collective": "scan", "use": "native"})");
  const auto rules = load_rules(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(rules) << rules.status().message();
  ASSERT_EQ(rules->size(), 1u);
  EXPECT_EQ((*rules)[0].origin, path.string() + ", rule 1");
}

TEST(LoadRules, SaysWhatKeepsItFromReading) {
  const auto missing = load_rules("/nonexistent/rules.json");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.status().code(), base::Code::system);
  EXPECT_EQ(missing.status().message(), "rules file /nonexistent/rules.json: No such file or directory");
  const auto directory = load_rules("/");
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.status().message(), "rules file /: Is a directory");
}

TEST(DefaultRules, ParseAndNameAlgorithmsWithAReason) {
  const auto rules = parse_rules(default_rules_text(), "built-in rules");
  ASSERT_TRUE(rules) << rules.status().message();
  EXPECT_FALSE(rules->empty());
  for (const Rule& rule : *rules) {
    EXPECT_FALSE(rule.because.empty()) << rule.origin;
    if (rule.use.is_native()) continue;
    EXPECT_EQ(algorithm::find(rule.collective, rule.use.choice.algorithm->name), rule.use.choice.algorithm)
        << rule.origin;
  }
}

}  // namespace
}  // namespace tutti::select
