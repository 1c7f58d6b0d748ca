// Tests which calls agents serve, and the lengths of their parts.

#include "agent/calls.hpp"

#include <gtest/gtest.h>

namespace tutti::agent {
namespace {

using algorithm::Collective;
using algorithm::Request;
using topology::Topology;

const Topology k_two_by_two = Topology::blocked(4, 2);

std::string refusal_of(const Request& request, const Topology& topology = k_two_by_two) {
  std::string why_not;
  return serves(request, topology, &why_not) ? "" : why_not;
}

TEST(AgentCalls, NeedTwoNodesAndAnOperatorThatAnyProcessKnows) {
  EXPECT_EQ(refusal_of({.collective = Collective::bcast, .rank_count = 4, .bytes = 8}), "");
  EXPECT_EQ(refusal_of({.collective = Collective::bcast, .rank_count = 4}, Topology::blocked(4, 4)),
            "there is only one node");
  EXPECT_EQ(refusal_of({.collective = Collective::allreduce, .rank_count = 4, .is_predefined = true}), "");
  EXPECT_EQ(refusal_of({.collective = Collective::allreduce, .rank_count = 4}),
            "the operator is the program's own");
  EXPECT_EQ(refusal_of({.collective = Collective::scan, .rank_count = 4, .is_predefined = true}),
            "agents do not serve scan");
}

TEST(AgentCalls, ArePartedBetweenElements) {
  const Request request{.collective = Collective::allreduce,
                        .rank_count = 4,
                        .bytes = 24'000,
                        .element_bytes = 24,
                        .is_predefined = true};
  const Description whole = describe(request, k_two_by_two, 1000);
  EXPECT_EQ(whole.block_bytes, 24'000u);
  EXPECT_EQ(whole.bytes % 24, 0u);
  EXPECT_GT(whole.bytes, 0u);
  EXPECT_TRUE(fits(whole));
  EXPECT_EQ(describe(request, k_two_by_two, 1 << 20).bytes, 24'000u);
}

TEST(AgentCalls, DoNotFitWhereAnElementDoesNot) {
  const Request request{.collective = Collective::alltoall, .rank_count = 4, .blocks = {.uniform_bytes = 8}};
  EXPECT_FALSE(fits(describe(request, k_two_by_two, 64)));
  EXPECT_FALSE(fits(describe(request, k_two_by_two, 0)));
  EXPECT_TRUE(fits(
      describe(algorithm::Request{.collective = Collective::barrier, .rank_count = 4}, k_two_by_two, 64)));
}

}  // namespace
}  // namespace tutti::agent
