#include "simulate/traffic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "algorithm/catalogue.hpp"
#include "algorithm/uniform_request.hpp"

namespace tutti::simulate {
namespace {

using algorithm::Collective;
using topology::Topology;

Traffic traffic(Collective collective, const char* text, schedule::Rank ranks, schedule::Rank ranks_per_node,
                const char* network, uint64_t bytes = 100, std::vector<uint32_t> places = {}) {
  const auto choice = algorithm::parse_choice(collective, text).value();
  const Topology topology = Topology::blocked(ranks, ranks_per_node);
  const algorithm::UniformCall call{.collective = collective, .rank_count = ranks, .bytes = bytes};
  std::vector<schedule::Schedule> schedules;
  for (schedule::Rank rank = 0; rank < ranks; ++rank)
    schedules.push_back(
        choice.algorithm->build(algorithm::request_of(call, rank), rank, topology, choice.parameters)
            .value());
  if (places.empty()) {
    places.resize(static_cast<size_t>(topology.node_count()));
    std::iota(places.begin(), places.end(), 0u);
  }
  const auto links =
      interconnect::make_topology(network, *std::max_element(places.begin(), places.end()) + 1);
  return traffic_of(schedules, topology, places, **links);
}

TEST(Traffic, ALinearBroadcastOnALineOfRouters) {
  // Distances on a ring of five: 1, 2, 2, 1.
  const Traffic counted = traffic(Collective::bcast, "linear", 5, 1, "torus:5x1x1");
  EXPECT_EQ(counted.messages, 4u);
  EXPECT_EQ(counted.bytes, 400u);
  EXPECT_EQ(counted.link_bytes, 600u);
  EXPECT_EQ(counted.busiest_link_bytes, 200u);
  EXPECT_EQ(counted.global_bytes, 0u);
}

TEST(Traffic, NodesAreWhereTheyArePlaced) {
  // Ranks 1, 2 and 3 are 4, 3 and 1 routers from rank 0 on a ring of eight.
  const Traffic counted = traffic(Collective::bcast, "linear", 4, 1, "torus:8x1x1", 100, {7, 3, 2, 0});
  EXPECT_EQ(counted.link_bytes, 800u);
}

TEST(Traffic, WhatStaysInANodeCrossesNothing) {
  const Traffic counted = traffic(Collective::bcast, "chain", 8, 4, "fat-tree:4");
  EXPECT_EQ(counted.messages, 1u);
  EXPECT_EQ(counted.local_messages, 6u);
  EXPECT_EQ(counted.link_bytes, 0u);  // both nodes are at one switch
}

/// The reason for them: distances are a third shorter, in a line of routers as everywhere that near ranks are near.
TEST(Traffic, BineTreesAreShorter) {
  const auto on_links = [](Collective collective, const char* choice, uint64_t bytes) {
    return static_cast<double>(traffic(collective, choice, 1024, 1, "torus:1024x1x1", bytes).link_bytes);
  };
  for (const auto& [collective, other, bytes] : {std::tuple{Collective::bcast, "knomial", 4096},
                                                 {Collective::reduce, "knomial", 4096},
                                                 {Collective::gather, "binomial", 64},
                                                 {Collective::scatter, "binomial", 64},
                                                 {Collective::allgather, "recursive_doubling", 64},
                                                 {Collective::reduce_scatter, "recursive_halving", 1 << 16},
                                                 {Collective::allreduce, "rabenseifner", 1 << 16}}) {
    const auto size = static_cast<uint64_t>(bytes);
    EXPECT_NEAR(on_links(collective, "bine", size) / on_links(collective, other, size), 2.0 / 3, 0.1)
        << to_string(collective);
  }
}

}  // namespace
}  // namespace tutti::simulate
