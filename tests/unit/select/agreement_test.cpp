// Properties over random rules and requests: the quick answer agrees with the full one, and what only one
// rank knows never changes a decision.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "algorithm/catalogue.hpp"
#include "select/selector.hpp"
#include "tests/support/temporary.hpp"

namespace tutti::select {
namespace {

using algorithm::Collective;
using algorithm::Request;
using topology::Topology;

constexpr int k_random_rounds = 60;
constexpr int k_requests_per_round = 200;

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  uint64_t below(uint64_t end) { return engine_() % end; }
  bool one_in(uint64_t n) { return below(n) == 0; }
  uint64_t bytes() { return one_in(6) ? 0 : (uint64_t{1} << below(24)) + below(3); }

 private:
  std::mt19937_64 engine_;
};

std::string random_range(Random& random, uint64_t end) {
  const uint64_t least = random.below(end);
  const uint64_t most = least + random.below(end);
  std::ostringstream text;
  text << '[' << (random.one_in(3) ? "null" : std::to_string(least)) << ", "
       << (random.one_in(3) ? "null" : std::to_string(most)) << ']';
  return text.str();
}

std::string random_rules(Random& random) {
  std::ostringstream text;
  text << R"({"schema": 1, "rules": [)";
  const uint64_t count = 1 + random.below(60);
  for (uint64_t i = 0; i < count; ++i) {
    const algorithm::Algorithm* row = algorithm::catalogue()[random.below(algorithm::catalogue().size())];
    text << (i == 0 ? "" : ", ") << R"({"collective": ")" << algorithm::to_string(row->collective) << '"';
    if (random.one_in(3)) text << R"(, "ranks": )" << random_range(random, 9);
    if (random.one_in(3)) text << R"(, "nodes": )" << random_range(random, 4);
    if (random.one_in(3)) text << R"(, "ranks_per_node": )" << random_range(random, 4);
    if (random.one_in(2)) text << R"(, "bytes": )" << random_range(random, uint64_t{1} << random.below(24));
    text << R"(, "use": ")" << (random.one_in(4) ? "native" : row->name) << "\"}";
  }
  text << "]}";
  return text.str();
}

Topology random_topology(Random& random) {
  const uint64_t ranks = 1 + random.below(12);
  std::vector<int32_t> nodes(ranks);
  for (int32_t& node : nodes) node = static_cast<int32_t>(random.below(4));
  return *Topology::from_node_of_rank(nodes);
}

Request random_request(Random& random, const Topology& topology) {
  Request request{.collective = static_cast<Collective>(random.below(algorithm::k_collective_count)),
                  .rank_count = topology.rank_count()};
  request.root = static_cast<schedule::Rank>(random.below(static_cast<uint64_t>(topology.rank_count())));
  const uint64_t block = random.bytes();
  const bool splits = request.collective == Collective::reduce_scatter ||
                      request.collective == Collective::reduce_scatter_block;
  request.bytes = splits ? block * static_cast<uint64_t>(topology.rank_count()) : block;
  request.own_bytes = block;
  request.blocks.uniform_bytes = block;
  request.receive_blocks.uniform_bytes = block;
  request.commutative = !random.one_in(3);
  request.counts_known_everywhere = !random.one_in(2);
  return request;
}

Selector selector_by(const std::string& rules) {
  const auto path = support::temporary_path("agreement.json");
  std::ofstream(path) << rules;
  const std::string entry = "TUTTI_RULES=" + path.string();
  const char* const environment[] = {entry.c_str(), nullptr};
  std::vector<std::string> problems;
  const auto settings = base::Settings::from_environment(environment, &problems);
  Selector selector = Selector::from_settings(settings, &problems);
  std::filesystem::remove(path);
  EXPECT_TRUE(problems.empty()) << problems[0] << '\n' << rules;
  return selector;
}

/// Calls `check(rules, topology, request, random)` for many random triples.
template <class Check>
void for_random_calls(uint32_t seed, Check check) {
  Random random(seed);
  for (int round = 0; round < k_random_rounds && !testing::Test::HasFailure(); ++round) {
    const std::string text = random_rules(random);
    SCOPED_TRACE(text);
    const Selector selector = selector_by(text);
    for (int i = 0; i < k_requests_per_round; ++i) {
      const Topology topology = random_topology(random);
      const Request request = random_request(random, topology);
      check(*selector.for_communicator(topology), topology, request, random);
    }
  }
}

TEST(Agreement, TheQuickAnswerIsNeverNativeWhereTheFullOneIsNot) {
  int native = 0, other = 0;
  for_random_calls(
      1, [&](const CommunicatorRules& rules, const Topology& topology, const Request& request, Random&) {
        uint64_t bytes = 0;
        const bool known = bytes_of_interest(request, &bytes);
        const Decision decision = rules.decide(request, topology);
        if (rules.is_native(request.collective, bytes, known)) {
          EXPECT_TRUE(decision.is_native()) << algorithm::to_string(request.collective) << ' ' << bytes;
        }
        EXPECT_FALSE(decision.reason.empty());
        EXPECT_EQ(decision.reason.find('\n'), std::string::npos);
        ++(decision.is_native() ? native : other);
      });
  EXPECT_GT(native, 1000) << "the calls must reach both sides";
  EXPECT_GT(other, 1000);
}

TEST(Agreement, WhatIsChosenAcceptsTheRequest) {
  for_random_calls(
      2, [](const CommunicatorRules& rules, const Topology& topology, const Request& request, Random&) {
        const Decision decision = rules.decide(request, topology);
        if (decision.is_native()) return;
        std::string why_not;
        EXPECT_EQ(decision.use.choice.algorithm->collective, request.collective);
        EXPECT_TRUE(decision.use.choice.algorithm->applies(request, topology, decision.use.choice.parameters,
                                                           &why_not))
            << why_not;
      });
}

/// The same call as another rank sees it: everything that request.hpp leaves to one rank is different.
Request seen_by_another_rank(const Request& request, Random& random, const std::vector<uint64_t>& sizes,
                             const std::vector<uint64_t>& offsets) {
  Request other = request;
  const bool rooted = algorithm::is_rooted(request.collective);
  if (rooted && request.collective != Collective::bcast) other.in_place = !request.in_place;
  switch (request.collective) {
    case Collective::gatherv:
    case Collective::scatterv:
      other.own_bytes = random.bytes();
      other.blocks.known = !request.blocks.known;
      other.blocks.sizes = sizes;
      other.blocks.offsets = offsets;
      break;
    case Collective::alltoallv:
    case Collective::alltoallw:
      other.own_bytes = random.bytes();
      other.blocks.sizes = sizes;
      other.receive_blocks.sizes = sizes;
      other.receive_blocks.offsets = offsets;
      break;
    case Collective::allgatherv:
      other.own_bytes = random.bytes();
      break;
    default:
      break;
  }
  return other;
}

TEST(Agreement, WhatOnlyOneRankKnowsChangesNoDecision) {
  int not_native = 0;
  for_random_calls(3, [&](const CommunicatorRules& rules, const Topology& topology, const Request& request,
                          Random& random) {
    std::vector<uint64_t> sizes(static_cast<size_t>(topology.rank_count())), offsets(sizes.size());
    for (uint64_t& size : sizes) size = random.bytes();
    for (uint64_t& offset : offsets) offset = random.bytes();
    const Request other = seen_by_another_rank(request, random, sizes, offsets);
    const Decision here = rules.decide(request, topology);
    const Decision there = rules.decide(other, topology);
    EXPECT_EQ(here.use, there.use) << algorithm::to_string(request.collective) << ": " << here.reason << " / "
                                   << there.reason;
    uint64_t bytes_here = 0, bytes_there = 0;
    EXPECT_EQ(bytes_of_interest(request, &bytes_here), bytes_of_interest(other, &bytes_there));
    EXPECT_EQ(bytes_here, bytes_there) << algorithm::to_string(request.collective);
    if (!here.is_native()) ++not_native;
  });
  EXPECT_GT(not_native, 1000);
}

TEST(BytesOfInterest, PerCollective) {
  const std::vector<uint64_t> sizes = {10, 20, 31};
  Request request{.rank_count = 3, .bytes = 96};
  request.blocks.uniform_bytes = 40;
  const auto of = [&](Collective collective) {
    request.collective = collective;
    uint64_t bytes = 0;
    EXPECT_TRUE(bytes_of_interest(request, &bytes)) << algorithm::to_string(collective);
    return bytes;
  };
  EXPECT_EQ(of(Collective::barrier), 0u);
  EXPECT_EQ(of(Collective::bcast), 96u);
  EXPECT_EQ(of(Collective::reduce_scatter), 96u);
  EXPECT_EQ(of(Collective::allgather), 40u);
  EXPECT_EQ(of(Collective::alltoall), 40u);
  EXPECT_EQ(of(Collective::allgatherv), 40u);
  request.blocks.sizes = sizes;
  EXPECT_EQ(of(Collective::allgatherv), 20u) << "61 bytes over 3 ranks, rounded down";
  for (const Collective collective :
       {Collective::gatherv, Collective::scatterv, Collective::alltoallv, Collective::alltoallw}) {
    request.collective = collective;
    uint64_t bytes = 0;
    EXPECT_FALSE(bytes_of_interest(request, &bytes)) << algorithm::to_string(collective);
  }
}

}  // namespace
}  // namespace tutti::select
