// Tests which rule decides: forced before file before built-in, guards refuse with their reason, native ends the
// chain.

#include "select/selector.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "algorithm/catalogue.hpp"
#include "tests/support/temporary.hpp"

namespace tutti::select {
namespace {

using algorithm::Collective;
using algorithm::Request;
using topology::Topology;

constexpr uint64_t k_megabyte = uint64_t{1} << 20;

/// A rules file that lives as long as the object.
class RulesFile {
 public:
  explicit RulesFile(const std::string& rules)
      : path_(support::temporary_path("selector_" + std::to_string(reinterpret_cast<uintptr_t>(this)) +
                                      ".json")) {
    std::ofstream(path_) << R"({"schema": 1, "rules": [)" << rules << "]}";
  }
  ~RulesFile() { std::filesystem::remove(path_); }
  RulesFile(const RulesFile&) = delete;
  RulesFile& operator=(const RulesFile&) = delete;
  std::string setting() const { return "TUTTI_RULES=" + path_.string(); }
  std::string origin(int rule) const { return path_.string() + ", rule " + std::to_string(rule); }

 private:
  std::filesystem::path path_;
};

Selector selector_of(const std::vector<std::string>& entries, std::vector<std::string>* problems) {
  std::vector<const char*> environment;
  for (const std::string& entry : entries) environment.push_back(entry.c_str());
  environment.push_back(nullptr);
  const auto settings = base::Settings::from_environment(environment.data(), problems);
  return Selector::from_settings(settings, problems);
}

Selector selector_of(const std::vector<std::string>& entries) {
  std::vector<std::string> problems;
  Selector selector = selector_of(entries, &problems);
  EXPECT_TRUE(problems.empty()) << problems[0];
  return selector;
}

Request bcast_of(const Topology& topology, uint64_t bytes) {
  return {.collective = Collective::bcast, .rank_count = topology.rank_count(), .bytes = bytes};
}

Decision decide(const Selector& selector, const Topology& topology, const Request& request) {
  return selector.for_communicator(topology)->decide(request, topology);
}

std::string name_of(const Decision& decision) {
  return decision.is_native() ? "native" : algorithm::to_string(decision.use.choice);
}

const Topology k_four_by_two = Topology::blocked(8, 2);

TEST(Selector, ForcedBeforeFileBeforeBuiltIn) {
  const RulesFile file(R"({"collective": "bcast", "use": "linear", "because": "site"})");
  const Request request = bcast_of(k_four_by_two, k_megabyte);
  const Decision forced =
      decide(selector_of({"TUTTI_BCAST=chain:segment=8K", file.setting()}), k_four_by_two, request);
  EXPECT_EQ(name_of(forced), "chain:segment=8K");
  EXPECT_EQ(forced.reason, "forced (TUTTI_BCAST)");
  const Decision by_file = decide(selector_of({file.setting()}), k_four_by_two, request);
  EXPECT_EQ(name_of(by_file), "linear");
  EXPECT_EQ(by_file.reason, "site (" + file.origin(1) + ')');
  const Decision built_in = decide(selector_of({}), k_four_by_two, request);
  EXPECT_NE(built_in.reason.find("(built-in rules, rule "), std::string::npos) << built_in.reason;
}

TEST(Selector, BuiltInRulesHoldOnSlowLinksOnlyAndAllOthersEverywhere) {
  const RulesFile file(R"({"collective": "reduce", "use": "chain"})");
  Selector selector = selector_of({"TUTTI_GATHER=linear", file.setting()});
  selector.set_slow_links(false);
  const auto serves = [&](Collective collective) {
    Request request = bcast_of(k_four_by_two, k_megabyte);
    request.collective = collective;
    request.element_bytes = 8;
    return !decide(selector, k_four_by_two, request).is_native();
  };
  EXPECT_FALSE(serves(Collective::bcast));
  EXPECT_TRUE(serves(Collective::reduce));
  EXPECT_TRUE(serves(Collective::gather));
  EXPECT_TRUE(selector.for_communicator(k_four_by_two)->is_native(Collective::bcast, k_megabyte, true));
  selector.set_slow_links(true);
  EXPECT_TRUE(serves(Collective::bcast));
}

TEST(Selector, KnowsWhetherCallsThatDoNotBlockCouldBeServed) {
  const Topology one_node = Topology::blocked(8, 8);
  Selector built_in = selector_of({});
  EXPECT_TRUE(built_in.could_serve_nonblocking(k_four_by_two));
  EXPECT_FALSE(built_in.could_serve_nonblocking(one_node));
  built_in.set_slow_links(false);
  EXPECT_FALSE(built_in.could_serve_nonblocking(k_four_by_two));
  EXPECT_FALSE(built_in.could_serve_nonblocking());
  EXPECT_FALSE(selector_of({"TUTTI_BCAST=native"}).could_serve_nonblocking(one_node));
  EXPECT_FALSE(selector_of({"TUTTI_BCAST=agent"}).could_serve_nonblocking(one_node));
  EXPECT_TRUE(selector_of({"TUTTI_BCAST=chain"}).could_serve_nonblocking(one_node));
  const RulesFile blocking(R"({"collective": "bcast", "calls": "blocking", "use": "linear"})");
  EXPECT_FALSE(selector_of({blocking.setting()}).could_serve_nonblocking(one_node));
  const RulesFile larger(R"({"collective": "bcast", "ranks": [9, null], "use": "linear"})");
  EXPECT_FALSE(selector_of({larger.setting()}).could_serve_nonblocking(one_node));
}

/// Open MPI's own scan is a pipeline already; MPICH's is not.
TEST(Selector, RulesForOneMpiDecideForNoOther) {
  const RulesText file{"file", R"({"schema": 1, "rules": [
      {"collective": "bcast", "mpi": "openmpi", "use": "linear"}, {"collective": "bcast", "use": "chain"}]})"};
  const auto name_with = [&](Collective collective, std::string_view mpi) {
    std::vector<std::string> problems;
    const char* const no_settings[] = {nullptr};
    const auto settings = base::Settings::from_environment(no_settings, &problems);
    const Selector selector = Selector::from_settings(settings, {&file, 1}, &problems, mpi);
    Request request = bcast_of(k_four_by_two, k_megabyte);
    request.collective = collective;
    request.element_bytes = 8;
    return name_of(decide(selector, k_four_by_two, request));
  };
  EXPECT_EQ(name_with(Collective::bcast, "openmpi"), "linear");
  EXPECT_EQ(name_with(Collective::bcast, "mpich"), "chain");
  for (const Collective collective : {Collective::scan, Collective::exscan}) {
    EXPECT_EQ(name_with(collective, "mpich"), "linear");
    EXPECT_EQ(name_with(collective, "openmpi"), "native");
    EXPECT_EQ(name_with(collective, ""), "native");
  }
}

TEST(Selector, AgentsThatAreNotThereLeaveTheCallToTheNextRule) {
  Selector selector = selector_of({"TUTTI_BCAST=agent"});
  EXPECT_TRUE(selector.wants_agents());
  EXPECT_FALSE(selector_of({}).wants_agents());
  const Request request = bcast_of(k_four_by_two, k_megabyte);
  EXPECT_FALSE(selector.for_communicator(k_four_by_two)->is_native(Collective::bcast, 8, true));
  selector.set_no_agents("UCX is not installed");
  const Decision without = decide(selector, k_four_by_two, request);
  EXPECT_FALSE(without.use.is_by_agents());
  EXPECT_NE(without.reason.find("; agent refused: UCX is not installed"), std::string::npos)
      << without.reason;
  selector.set_no_agents("");
  const Decision with = decide(selector, k_four_by_two, request);
  EXPECT_TRUE(with.use.is_by_agents());
  EXPECT_EQ(with.reason, "forced (TUTTI_BCAST)");
}

TEST(Selector, ForcedNativeBeatsEverything) {
  const RulesFile file(R"({"collective": "bcast", "use": "linear"})");
  const Selector selector = selector_of({"TUTTI_BCAST=native", file.setting()});
  const Decision decision = decide(selector, k_four_by_two, bcast_of(k_four_by_two, k_megabyte));
  EXPECT_EQ(name_of(decision), "native");
  EXPECT_EQ(decision.reason, "forced (TUTTI_BCAST)");
  EXPECT_TRUE(selector.for_communicator(k_four_by_two)->is_native(Collective::bcast, k_megabyte, true));
}

TEST(Selector, AutoAndEmptyForceNothing) {
  const Request request = bcast_of(k_four_by_two, k_megabyte);
  const std::string expected = name_of(decide(selector_of({}), k_four_by_two, request));
  EXPECT_EQ(name_of(decide(selector_of({"TUTTI_BCAST=auto"}), k_four_by_two, request)), expected);
  EXPECT_EQ(name_of(decide(selector_of({"TUTTI_BCAST="}), k_four_by_two, request)), expected);
}

TEST(Selector, EverySettingForcesItsOwnCollective) {
  for (const algorithm::Algorithm* row : algorithm::catalogue()) {
    std::string setting = "TUTTI_";
    for (const char letter : algorithm::to_string(row->collective))
      setting += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    const auto rules = selector_of({setting + '=' + std::string(row->name)}).for_communicator(k_four_by_two);
    EXPECT_FALSE(rules->is_native(row->collective, 64, false)) << setting << '=' << row->name;
  }
}

TEST(Selector, RulesMayBeForOneKindOfCalls) {
  const RulesFile file(
      R"({"collective": "bcast", "calls": "nonblocking", "use": "linear@thread_spare"},
         {"collective": "bcast", "use": "native"})");
  const auto rules = selector_of({file.setting()}).for_communicator(k_four_by_two);
  const Request request = bcast_of(k_four_by_two, k_megabyte);
  EXPECT_TRUE(rules->decide(request, k_four_by_two).is_native());
  EXPECT_TRUE(rules->decide(request, k_four_by_two, CallInterface::persistent).is_native());
  const Decision decision = rules->decide(request, k_four_by_two, CallInterface::nonblocking);
  EXPECT_EQ(name_of(decision), "linear");
  EXPECT_EQ(decision.use.progress.mode, ProgressMode::thread_spare);
  EXPECT_TRUE(rules->is_native(Collective::bcast, k_megabyte, true));
  EXPECT_FALSE(rules->is_native(Collective::bcast, k_megabyte, true, CallInterface::nonblocking));
}

TEST(Selector, ASettingMayForceTheProgressToo) {
  const Decision decision = decide(selector_of({"TUTTI_BCAST=chain@thread_shared:wait=sleep"}), k_four_by_two,
                                   bcast_of(k_four_by_two, k_megabyte));
  EXPECT_EQ(name_of(decision), "chain");
  EXPECT_EQ(decision.use.progress.mode, ProgressMode::thread_shared);
}

TEST(Selector, TheFirstRuleThatMatchesDecides) {
  const RulesFile file(R"({"collective": "bcast", "bytes": [0, 100], "use": "linear"},
                          {"collective": "bcast", "bytes": [50, 200], "use": "chain"},
                          {"collective": "bcast", "use": "native"})");
  const Selector selector = selector_of({file.setting()});
  const auto at = [&](uint64_t bytes) {
    return name_of(decide(selector, k_four_by_two, bcast_of(k_four_by_two, bytes)));
  };
  EXPECT_EQ(at(100), "linear");
  EXPECT_EQ(at(101), "chain");
  EXPECT_EQ(at(200), "chain");
  EXPECT_EQ(at(201), "native");
}

TEST(Selector, RulesLookAtTheShapeOfTheCommunicator) {
  const RulesFile file(R"({"collective": "bcast", "ranks": [8, 8], "nodes": [4, 4], "ranks_per_node": [2, 2],
                           "use": "linear"}, {"collective": "bcast", "use": "native"})");
  const Selector selector = selector_of({file.setting()});
  const auto on = [&](const Topology& topology) {
    return name_of(decide(selector, topology, bcast_of(topology, k_megabyte)));
  };
  EXPECT_EQ(on(k_four_by_two), "linear");
  EXPECT_EQ(on(Topology::flat(8)), "native");
  EXPECT_EQ(on(Topology::blocked(8, 4)), "native");
  EXPECT_EQ(on(Topology::blocked(7, 2)), "native");
  const std::vector<int32_t> uneven = {0, 0, 0, 1, 1, 2, 2, 3};
  EXPECT_EQ(on(*Topology::from_node_of_rank(uneven)), "native") << "the largest node counts";
}

TEST(Selector, ARefusalFallsThroughAndIsRemembered) {
  const RulesFile file(
      R"({"collective": "allreduce", "use": "ring"}, {"collective": "allreduce", "use": "native"})");
  const Selector selector = selector_of({file.setting()});
  Request request{.collective = Collective::allreduce, .rank_count = 8, .bytes = k_megabyte};
  EXPECT_EQ(name_of(decide(selector, k_four_by_two, request)), "ring");
  request.commutative = false;
  std::string why_not;
  const algorithm::Algorithm* ring = algorithm::find(Collective::allreduce, "ring");
  ASSERT_FALSE(ring->applies(request, k_four_by_two, algorithm::default_parameters(*ring), &why_not));
  const Decision decision = decide(selector, k_four_by_two, request);
  EXPECT_EQ(name_of(decision), "native");
  EXPECT_EQ(decision.reason, file.origin(2) + "; ring refused: " + why_not);
}

TEST(Selector, NativeEndsEveryChain) {
  const RulesFile file(R"({"collective": "allreduce", "use": "ring"})");
  Request request{.collective = Collective::allreduce, .rank_count = 3, .bytes = 8};
  request.commutative = false;
  const Topology topology = Topology::flat(3);
  const Decision refused = decide(selector_of({file.setting()}), topology, request);
  EXPECT_TRUE(refused.is_native());
  EXPECT_TRUE(refused.reason.starts_with("no rule applies; ring refused: ")) << refused.reason;
  const Decision nothing = decide(selector_of({}), topology, request);
  EXPECT_TRUE(nothing.is_native());
  EXPECT_EQ(nothing.reason, "no rule asks for anything else");
}

TEST(Selector, AWishForTheNativeMpiKeepsItsReason) {
  const RulesFile file(
      R"({"collective": "bcast", "bytes": [8, 8], "use": "native", "because": "a\u001b[2J\nb\u009bc"})");
  const auto rules = selector_of({file.setting()}).for_communicator(k_four_by_two);
  const std::string* reason = nullptr;
  EXPECT_TRUE(rules->is_native(Collective::bcast, 8, true, CallInterface::blocking, &reason));
  ASSERT_NE(reason, nullptr);
  EXPECT_TRUE(reason->starts_with("a [2J b  c (")) << *reason << ": no control characters";
  EXPECT_TRUE(rules->is_native(Collective::scatterv, 8, true, CallInterface::blocking, &reason));
  EXPECT_EQ(reason, nullptr) << "no person wants it so";
}

TEST(Selector, UnknownSizesMatchNoRangeOfBytes) {
  const RulesFile file(R"({"collective": "gatherv", "bytes": [0, null], "use": "linear"},
                          {"collective": "scatterv", "bytes": [1, null], "use": "linear"})");
  const Selector selector = selector_of({file.setting()});
  const auto rules = selector.for_communicator(k_four_by_two);
  EXPECT_FALSE(rules->is_native(Collective::gatherv, 0, false)) << "[0, null] is any size";
  EXPECT_TRUE(rules->is_native(Collective::scatterv, 1 << 20, false));
  EXPECT_FALSE(rules->is_native(Collective::scatterv, 1 << 20, true));
  const Request request{.collective = Collective::scatterv, .rank_count = 8, .own_bytes = 1 << 20};
  EXPECT_TRUE(rules->decide(request, k_four_by_two).is_native());
}

TEST(Selector, WhatCannotBeReadIsLeftOutWithOneLine) {
  std::vector<std::string> problems;
  const Selector selector =
      selector_of({"TUTTI_BCAST=chian", "TUTTI_RULES=/nonexistent/rules.json"}, &problems);
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_TRUE(problems[1].starts_with("TUTTI_BCAST: unknown bcast algorithm 'chian' (did you mean chain?)"))
      << problems[1];
  EXPECT_TRUE(problems[1].ends_with("; choosing automatically")) << problems[1];
  EXPECT_EQ(problems[0],
            "rules file /nonexistent/rules.json: No such file or directory; the file is ignored");
  // A file that is still to be learned need not exist.
  problems.clear();
  selector_of({"TUTTI_LEARN=/nonexistent/rules.json"}, &problems);
  EXPECT_TRUE(problems.empty()) << problems[0];
  const Request request = bcast_of(k_four_by_two, k_megabyte);
  EXPECT_EQ(name_of(decide(selector, k_four_by_two, request)),
            name_of(decide(selector_of({}), k_four_by_two, request)));
}

TEST(Selector, PeoplesWishesBindAndWhatWasLearnedDoesNot) {
  const auto is_binding = [](const std::vector<std::string>& entries) {
    return selector_of(entries)
        .for_communicator(k_four_by_two)
        ->decide(bcast_of(k_four_by_two, 1000), k_four_by_two)
        .is_binding;
  };
  const RulesFile wish(R"({"collective": "bcast", "use": "linear"})");
  const RulesFile learned(R"({"collective": "bcast", "use": "linear",
                              "evidence": {"samples": 20, "median_ns": 100, "native_ns": 200}})");
  EXPECT_TRUE(is_binding({"TUTTI_BCAST=linear"}));
  EXPECT_TRUE(is_binding({"TUTTI_BCAST=native"}));
  EXPECT_TRUE(is_binding({wish.setting()}));
  EXPECT_FALSE(is_binding({learned.setting()}));
  EXPECT_FALSE(is_binding({}));
}

TEST(Selector, AFileWithOneBadRuleCountsForNothing) {
  const RulesFile file(
      R"({"collective": "bcast", "use": "linear"}, {"collective": "bcast", "use": "chian"})");
  std::vector<std::string> problems;
  const Selector selector = selector_of({file.setting()}, &problems);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_TRUE(problems[0].starts_with(file.origin(2).replace(file.origin(2).rfind(','), 1, ":")))
      << problems[0];
  EXPECT_NE(name_of(decide(selector, k_four_by_two, bcast_of(k_four_by_two, k_megabyte))), "linear");
}

TEST(Selector, ViewsOutliveTheSelector) {
  std::shared_ptr<const CommunicatorRules> rules;
  {
    const Selector selector = selector_of({"TUTTI_BCAST=linear"});
    rules = selector.for_communicator(k_four_by_two);
  }
  EXPECT_EQ(name_of(rules->decide(bcast_of(k_four_by_two, 8), k_four_by_two)), "linear");
}

}  // namespace
}  // namespace tutti::select
