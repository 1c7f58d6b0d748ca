// Every algorithm of the catalogue in virtual time, on nodes of several sizes, with every leader.

#include "simulate/collective.hpp"

#include <gtest/gtest.h>

#include "algorithm/catalogue.hpp"
#include "interconnect/network_topology.hpp"
#include "tests/support/sanitizer.hpp"

namespace tutti::simulate {
namespace {

using algorithm::Collective;
using arrival::Leader;
using topology::Topology;

Experiment experiment_of(const algorithm::Algorithm& row, schedule::Rank ranks, uint64_t bytes, Leader leader,
                         const char* arrivals) {
  return {.call = {.collective = row.collective, .rank_count = ranks, .root = ranks / 2, .bytes = bytes},
          .choice = {&row, algorithm::default_parameters(row)},
          .leader = leader,
          .arrivals = arrival::parse_pattern(arrivals).value(),
          .calls = 2};
}

class Simulated : public testing::TestWithParam<const algorithm::Algorithm*> {};

TEST_P(Simulated, EndsTheSameWayEveryTime) {
  const auto links = std::move(interconnect::make_topology("dragonfly:2x1x1", 6).value());
  int measured = 0;
  // {4, 2}: some trees take powers of two alone.
  for (const auto& [nodes, per_node] : {std::pair{6, 1}, {3, 4}, {1, 5}, {4, 2}, {5, 3}})
    for (const Leader leader : {Leader::fixed, Leader::first, Leader::agent})
      for (const uint64_t bytes : {0, 8, 1000, 100000})
        for (const char* arrivals : {"none", "uniform:50us"}) {
          if (test::k_is_sanitized && (nodes == 5 || bytes == 1000)) continue;
          const schedule::Rank ranks = nodes * per_node;
          const Topology topology = Topology::blocked(ranks, per_node);
          const Experiment experiment = experiment_of(*GetParam(), ranks, bytes, leader, arrivals);
          const auto figures = measure(experiment, topology, Machine{}, links.get());
          if (!figures) {
            EXPECT_EQ(figures.status().code(), base::Code::not_supported) << figures.status().message();
            continue;
          }
          ++measured;
          EXPECT_GE(figures->slowest_ns, figures->mean_ns * 0.999);
          EXPECT_GE(figures->whole_ns * 1.001, figures->after_last_ns);
          const auto again = measure(experiment, topology, Machine{}, links.get());
          ASSERT_TRUE(again.is_ok());
          EXPECT_EQ(again->counters, figures->counters);
          EXPECT_EQ(again->slowest_ns, figures->slowest_ns);
          EXPECT_EQ(again->whole_ns, figures->whole_ns);
        }
  EXPECT_GT(measured, 0);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Simulated,
                         testing::ValuesIn(algorithm::catalogue().begin(), algorithm::catalogue().end()),
                         [](const auto& of) {
                           return std::string(to_string(of.param->collective)) + "_" +
                                  std::string(of.param->name);
                         });

Figures bcast(Leader leader, const char* arrivals, uint64_t bytes = 8) {
  const Experiment experiment{.call = {.collective = Collective::bcast, .rank_count = 32, .bytes = bytes},
                              .choice = algorithm::parse_choice(Collective::bcast, "hierarchical").value(),
                              .leader = leader,
                              .arrivals = arrival::parse_pattern(arrivals).value(),
                              .calls = 200};
  const auto figures = measure(experiment, Topology::blocked(32, 8), Machine{});
  EXPECT_TRUE(figures.is_ok()) << figures.status().message();
  return *figures;
}

TEST(Leaders, TheFirstToComeDoesNotLetTheOthersWait) {
  const double fixed = bcast(Leader::fixed, "uniform:500us").mean_ns;
  EXPECT_LT(bcast(Leader::first, "uniform:500us").mean_ns, 0.8 * fixed);
  // Rank 8 leads its node, and comes late.
  const double by_late_leader = bcast(Leader::fixed, "straggler:rank=8,10ms").mean_ns;
  EXPECT_LT(bcast(Leader::first, "straggler:rank=8,10ms").mean_ns, 0.1 * by_late_leader);
}

TEST(Leaders, NobodyLateNothingChanges) {
  EXPECT_DOUBLE_EQ(bcast(Leader::first, "none").mean_ns, bcast(Leader::fixed, "none").mean_ns);
}

TEST(Leaders, AnAgentForwardsBeforeItsNodeIsThere) {
  // Node 1 comes late as a whole, and its agent is on the way to others.
  const double late = bcast(Leader::fixed, "ascending:10ms").mean_ns;
  EXPECT_LT(bcast(Leader::agent, "ascending:10ms").mean_ns, late);
}

TEST(Collectives, WhatCannotBeIsOneLine) {
  Experiment experiment =
      experiment_of(*algorithm::find(Collective::bcast, "knomial"), 8, 8, Leader::fixed, "none");
  experiment.call.root = 8;
  EXPECT_EQ(measure(experiment, Topology::flat(8), Machine{}).status().code(), base::Code::invalid_argument);
  experiment.call.root = 0;
  experiment.arrivals = arrival::parse_pattern("straggler:rank=8,1ms").value();
  EXPECT_EQ(measure(experiment, Topology::flat(8), Machine{}).status().code(), base::Code::invalid_argument);
}

TEST(Collectives, AreStopped) {
  const Experiment experiment =
      experiment_of(*algorithm::find(Collective::alltoall, "linear"), 256, 8, Leader::fixed, "none");
  EXPECT_EQ(measure(experiment, Topology::flat(256), Machine{}, nullptr).is_ok(), true);
  const auto stops = [] { return true; };
  EXPECT_EQ(measure(experiment, Topology::flat(256), Machine{}, nullptr, stops).status().message(),
            "stopped");
}

}  // namespace
}  // namespace tutti::simulate
