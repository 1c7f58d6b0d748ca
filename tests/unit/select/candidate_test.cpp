// Candidates: their text, and the lists made for a request.

#include "select/candidate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "algorithm/catalogue.hpp"

namespace tutti::select {
namespace {

using algorithm::Collective;
using algorithm::Request;
using engine::WaitPolicy;
using topology::Topology;

const std::vector<Progress> k_all_modes = {
    {.mode = ProgressMode::thread_spare},
    {.mode = ProgressMode::thread_shared, .wait = WaitPolicy::sleep, .thread_wait = WaitPolicy::sleep},
    {.mode = ProgressMode::in_call}};

Candidate parsed(Collective collective, std::string_view text) {
  const auto candidate = parse_candidate(collective, text);
  EXPECT_TRUE(candidate) << candidate.status().message();
  return candidate ? *candidate : Candidate{};
}

std::string error_of(std::string_view text) {
  const auto candidate = parse_candidate(Collective::bcast, text);
  EXPECT_FALSE(candidate) << text;
  return candidate.status().message();
}

TEST(Candidate, TextReadsBack) {
  for (const std::string text : {"native", "chain", "chain:segment=64K", "chain@inline",
                                 "chain:segment=64K@thread_shared:wait=sleep:thread_wait=spin",
                                 "linear@thread_spare:thread_wait=yield", "linear@automatic:wait=spin"})
    EXPECT_EQ(to_string(parsed(Collective::bcast, text)), text);
}

TEST(Candidate, FieldsMeanWhatTheTextSays) {
  const Candidate candidate = parsed(Collective::alltoall, "ring:steps=4@thread_shared:thread_wait=yield");
  EXPECT_EQ(candidate.choice.algorithm->name, "ring");
  EXPECT_EQ(candidate.progress.mode, ProgressMode::thread_shared);
  EXPECT_EQ(candidate.progress.wait, WaitPolicy::automatic);
  EXPECT_EQ(candidate.progress.thread_wait, WaitPolicy::yield);
  EXPECT_TRUE(parsed(Collective::alltoall, "native").is_native());
}

TEST(Candidate, DefaultsAreLeftOut) {
  EXPECT_EQ(to_string(parsed(Collective::bcast, "chain:segment=16K@automatic:wait=automatic")), "chain");
}

TEST(Candidate, MessagesNameTheWordAtFault) {
  EXPECT_EQ(error_of("chain@thread_sparse"),
            "unknown progress mode 'thread_sparse' (did you mean thread_spare?); known: automatic, inline, "
            "thread_spare, thread_shared, early");
  EXPECT_EQ(error_of("chain@inline:wiat=spin"),
            "unknown word after the progress mode 'wiat' (did you mean wait?); known: wait, thread_wait");
  EXPECT_EQ(error_of("chain@inline:wait=spun"),
            "unknown wait policy 'spun' (did you mean spin?); known: spin, yield, sleep, automatic");
  EXPECT_EQ(error_of("chain@inline:wait=spin:wait=spin"), "progress: 'wait' is given twice");
  EXPECT_EQ(error_of("chain@inline:"), "progress: '' is not of the form wait=policy");
  EXPECT_EQ(error_of("native@inline"),
            "the native MPI makes progress its own way: 'native@inline' should be native");
  EXPECT_NE(error_of("chian@inline").find("did you mean chain?"), std::string::npos);
  error_of("");
  error_of("chain@");
  error_of("@inline");
}

TEST(Candidate, NamesOfKindsAndModesReadBack) {
  for (int i = 0; i < k_call_interface_count; ++i) {
    CallInterface kind = CallInterface::blocking;
    ASSERT_TRUE(from_string(to_string(static_cast<CallInterface>(i)), &kind));
    EXPECT_EQ(kind, static_cast<CallInterface>(i));
  }
  CallInterface kind = CallInterface::persistent;
  EXPECT_FALSE(from_string("asynchronous", &kind));
  EXPECT_EQ(kind, CallInterface::persistent);
}

Request request_of(Collective collective, const Topology& topology, uint64_t bytes) {
  const auto ranks = static_cast<uint64_t>(topology.rank_count());
  Request request{.collective = collective, .rank_count = topology.rank_count(), .bytes = bytes};
  request.own_bytes = request.blocks.uniform_bytes = request.receive_blocks.uniform_bytes = bytes / ranks;
  return request;
}

/// Runs `check(request, topology, list)` over all collectives and some shapes and sizes.
template <class Check>
void for_each_list(std::span<const Progress> modes, size_t most, Check&& check) {
  const Topology topologies[] = {Topology::flat(2), Topology::blocked(8, 2), Topology::blocked(8, 8),
                                 Topology::blocked(7, 3)};
  for (int i = 0; i < algorithm::k_collective_count; ++i)
    for (const Topology& topology : topologies)
      for (const uint64_t bytes : {uint64_t{0}, uint64_t{840}, uint64_t{840} << 10, uint64_t{840} << 14}) {
        const Request request = request_of(static_cast<Collective>(i), topology, bytes);
        check(request, topology,
              candidates_for(request, topology, {.rule = {}, .modes = modes, .most = most}));
      }
}

TEST(CandidateList, EveryEntryPassesItsGuardAndNativeIsAmongThem) {
  int non_native = 0;
  for_each_list(k_all_modes, 8, [&](const Request& request, const Topology& topology, const auto& list) {
    ASSERT_GE(list.size(), 1u);
    ASSERT_LE(list.size(), 8u);
    EXPECT_EQ(std::count(list.begin(), list.end(), Candidate{}), 1);
    std::set<std::string> texts;
    for (const Candidate& candidate : list) {
      EXPECT_TRUE(texts.insert(to_string(candidate)).second) << to_string(candidate) << " twice";
      if (candidate.is_native()) continue;
      ++non_native;
      std::string why_not;
      EXPECT_TRUE(
          candidate.choice.algorithm->applies(request, topology, candidate.choice.parameters, &why_not))
          << to_string(candidate) << ": " << why_not;
      EXPECT_EQ(parsed(request.collective, to_string(candidate)), candidate);
    }
  });
  EXPECT_GT(non_native, 1000);
}

TEST(Candidate, AgentsAreAWordOfTheirOwn) {
  const Candidate agents{.leader = LeaderPolicy::agent};
  EXPECT_FALSE(agents.is_native());
  EXPECT_EQ(to_string(agents), "agent");
  EXPECT_EQ(parsed(Collective::bcast, "agent"), agents);
  EXPECT_NE(agents, Candidate{});
  EXPECT_EQ(parse_candidate(Collective::scan, "agent").status().message(), "agents do not serve scan");
  for (const char* text : {"agent:ringaas", "agent:knomial:radix=4"})
    EXPECT_EQ(to_string(parsed(Collective::bcast, text)), text);
  EXPECT_EQ(to_string(parsed(Collective::gather, "agent:linear")), "agent:linear");  // of gatherv
  for (const char* text : {"agent:", "agent:agent", "agent:native", "agent@inline", "agents", "agent:chian"})
    EXPECT_FALSE(parse_candidate(Collective::bcast, text)) << text;
}

TEST(Candidate, AgentsServeBlockingCallsWhereThereAreAny) {
  const Topology topology = Topology::blocked(8, 2);
  const Request request = request_of(Collective::bcast, topology, 840);
  const Candidate agents{.leader = LeaderPolicy::agent};
  const auto refusal = [&](CallInterface kind, const std::string& no_agents, const Topology& nodes) {
    std::string why_not;
    return applies(agents, request, nodes, kind, no_agents, &why_not) ? "" : why_not;
  };
  EXPECT_EQ(refusal(CallInterface::blocking, "", topology), "");
  EXPECT_EQ(refusal(CallInterface::nonblocking, "", topology), "agents serve blocking calls only");
  EXPECT_EQ(refusal(CallInterface::blocking, "no UCX", topology), "no UCX");
  EXPECT_EQ(refusal(CallInterface::blocking, "", Topology::blocked(8, 8)), "there is only one node");
}

TEST(CandidateList, HasTheAgentsBehindTheRulesChoiceAndTheNativeMpi) {
  const Topology topology = Topology::blocked(8, 2);
  const Request request = request_of(Collective::bcast, topology, 840);
  const Progress in_call[] = {Progress{}};
  const Candidate agents{.leader = LeaderPolicy::agent}, chain = parsed(Collective::bcast, "chain");
  const auto by_chain =
      candidates_for(request, topology, {.rule = chain, .modes = in_call, .has_agents = true});
  ASSERT_GE(by_chain.size(), 3u);
  EXPECT_EQ(by_chain[0], chain);
  EXPECT_TRUE(by_chain[1].is_native());
  EXPECT_EQ(by_chain[2], agents);
  const auto by_agents =
      candidates_for(request, topology, {.rule = agents, .modes = in_call, .has_agents = true});
  ASSERT_GE(by_agents.size(), 3u);
  EXPECT_EQ(by_agents[0], agents);
  EXPECT_TRUE(by_agents[1].is_native());
  EXPECT_EQ(std::count(by_agents.begin(), by_agents.end(), agents), 1);
  const auto without = candidates_for(request, topology, {.rule = agents, .modes = in_call});
  EXPECT_EQ(std::count(without.begin(), without.end(), agents), 0);
}

TEST(CandidateList, TheRulesChoiceIsFirstAndNativeSecond) {
  const Topology topology = Topology::blocked(8, 2);
  const auto rule = algorithm::parse_choice(Collective::alltoall, "ring:steps=4");
  const Request request = request_of(Collective::alltoall, topology, uint64_t{8} << 20);
  const auto list = candidates_for(request, topology, {.rule = {.choice = *rule}, .modes = k_all_modes});
  ASSERT_EQ(list.size(), 8u);
  EXPECT_EQ(to_string(list[0]), "ring:steps=4@thread_spare");
  EXPECT_TRUE(list[1].is_native());
  EXPECT_EQ(to_string(list[2]), "ring:steps=4@thread_shared:wait=sleep:thread_wait=sleep");
  EXPECT_EQ(to_string(list[3]), "ring:steps=4@inline");
  std::set<std::string_view> algorithms;
  for (const Candidate& candidate : list)
    if (!candidate.is_native()) algorithms.insert(candidate.choice.algorithm->name);
  EXPECT_GE(algorithms.size(), 3u) << "other algorithms have a chance";
}

TEST(CandidateList, WhereTheRulesSayNativeItIsFirst) {
  for_each_list(k_all_modes, 8, [](const Request&, const Topology&, const auto& list) {
    EXPECT_TRUE(list.front().is_native());
  });
}

TEST(CandidateList, ARuleThatCannotRunIsNotACandidate) {
  const Topology topology = Topology::blocked(8, 2);
  const auto rule = algorithm::parse_choice(Collective::bcast, "chain");
  const Request request = request_of(Collective::bcast, topology, 1 << 20);
  const auto no_chain = [](const algorithm::Choice& choice) { return choice.algorithm->name != "chain"; };
  const auto list = candidates_for(request, topology,
                                   {.rule = {.choice = *rule}, .modes = k_all_modes, .can_run = no_chain});
  EXPECT_TRUE(list.front().is_native());
  EXPECT_GT(list.size(), 4u);
  for (const Candidate& candidate : list) EXPECT_FALSE(to_string(candidate).starts_with("chain"));
}

TEST(CandidateList, BarriersTryDescriptorsOfSeveralRadices) {
  const Topology topology = Topology::flat(64);
  const Request request = request_of(Collective::barrier, topology, 0);
  const auto one_mode = std::span<const Progress>(k_all_modes).first(1);
  const auto list = candidates_for(request, topology, {.rule = {}, .modes = one_mode});
  std::set<std::string> descriptors;
  for (const Candidate& candidate : list)
    if (const std::string text = to_string(candidate); text.starts_with("descriptor"))
      descriptors.insert(text);
  EXPECT_TRUE(descriptors.contains("descriptor@thread_spare"));
  EXPECT_TRUE(descriptors.contains("descriptor:radix=3@thread_spare"));
  EXPECT_GE(descriptors.size(), 4u);
}

TEST(CandidateList, HoldsNoMoreThanWished) {
  for (const size_t most : {2u, 3u, 5u})
    for_each_list(k_all_modes, most, [&](const Request&, const Topology&, const auto& list) {
      EXPECT_LE(list.size(), most);
      EXPECT_EQ(std::count(list.begin(), list.end(), Candidate{}), 1);
    });
}

}  // namespace
}  // namespace tutti::select
