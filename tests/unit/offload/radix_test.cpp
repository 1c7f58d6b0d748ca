// The computed time of a dissemination barrier beside a simulation of all nodes in the same model.

#include "offload/radix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <random>
#include <tuple>

#include "offload/rounds.hpp"
#include "tests/support/sanitizer.hpp"

namespace tutti::offload {
namespace {

using pattern::DisseminationShape;

/// LogGP with events, one state per node, after the descriptors of all nodes: nothing is assumed to be alike.
class Simulation {
 public:
  Simulation(uint32_t nodes, uint32_t radix, DisseminationShape shape, const NetworkCosts& costs)
      : costs_(costs), nodes_(nodes) {
    for (NodeId rank = 0; rank < nodes; ++rank) {
      nodes_[rank].rounds = dissemination(nodes, rank, radix, shape).value();
      for (const Round& round : nodes_[rank].rounds) nodes_[rank].missing.push_back(round.receives.size());
    }
  }

  uint64_t run() {
    for (NodeId rank = 0; rank < nodes_.size(); ++rank) send_round(rank, 0);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      receive(event);
    }
    for (const Node& node : nodes_) EXPECT_EQ(node.current, node.rounds.size());
    return end_;
  }

 private:
  struct Node {
    std::vector<Round> rounds;
    std::vector<size_t> missing;  // arrivals per round
    size_t current = 0;           // the round whose arrivals it waits for
    uint64_t send_free = 0, port_free = 0, receive_free = 0, last_received = 0;
  };
  struct Event {
    uint64_t time, order;
    NodeId to;
    size_t round;
    bool operator>(const Event& other) const {
      return std::tie(time, order) > std::tie(other.time, other.order);
    }
  };

  void send_round(NodeId rank, uint64_t ready) {
    Node& node = nodes_[rank];
    if (node.current == node.rounds.size()) return;
    for (const NodeId to : node.rounds[node.current].sends) {
      const uint64_t start = std::max(ready, node.send_free);
      node.send_free = start + std::max(costs_.send_overhead_ps, costs_.gap_ps);
      const uint64_t at_port = std::max(start + costs_.send_overhead_ps, node.port_free);
      node.port_free = at_port + costs_.serialisation_ps;
      events_.push({node.port_free + costs_.latency_ps, order_++, to, node.current});
    }
  }

  void receive(const Event& event) {
    Node& node = nodes_[event.to];
    const uint64_t start = std::max(event.time, node.receive_free);
    node.receive_free = start + std::max(costs_.receive_overhead_ps, costs_.gap_ps);
    node.last_received = std::max(node.last_received, start + costs_.receive_overhead_ps);
    end_ = std::max(end_, node.last_received);
    --node.missing[event.round];
    while (node.current < node.rounds.size() && node.missing[node.current] == 0) {
      ++node.current;
      send_round(event.to, node.last_received + costs_.round_ps);
    }
  }

  const NetworkCosts& costs_;
  std::vector<Node> nodes_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  uint64_t order_ = 0, end_ = 0;
};

const NetworkCosts k_networks[] = {
    {.latency_ps = 1'000'000, .send_overhead_ps = 400'000, .receive_overhead_ps = 400'000},
    {.latency_ps = 500'000,
     .send_overhead_ps = 10'000,
     .receive_overhead_ps = 20'000,
     .serialisation_ps = 5'000},
    {.latency_ps = 100'000, .send_overhead_ps = 50'000, .receive_overhead_ps = 5'000, .gap_ps = 300'000},
    {.latency_ps = 700'000, .gap_ps = 40'000, .serialisation_ps = 90'000, .round_ps = 60'000},
    {.latency_ps = 0, .send_overhead_ps = 1, .receive_overhead_ps = 1},
    {.latency_ps = 1'000'000},
};

TEST(Radix, TimeIsThatOfTheSimulation) {
  for (const NetworkCosts& costs : k_networks)
    for (const uint32_t nodes : {1U, 2U, 3U, 5U, 8U, 17U, 64U, 100U, 128U})
      for (const auto shape : {DisseminationShape::forward, DisseminationShape::symmetric})
        for (const RadixTime& time : dissemination_times(nodes, shape, costs))
          ASSERT_EQ(time.time_ps, Simulation(nodes, time.radix, shape, costs).run())
              << nodes << " nodes, radix " << time.radix;
}

TEST(Radix, BestIsTheBestOfAllSimulations) {
  std::mt19937 random(7);
  for (int trial = 0; trial < test::samples(60); ++trial) {
    const auto cost = [&](uint64_t most) { return random() % most; };
    const NetworkCosts costs{.latency_ps = cost(2'000'000),
                             .send_overhead_ps = cost(500'000),
                             .receive_overhead_ps = cost(500'000),
                             .gap_ps = cost(200'000),
                             .serialisation_ps = cost(100'000),
                             .round_ps = cost(300'000)};
    const uint32_t nodes = 2 + static_cast<uint32_t>(random() % 200);
    uint64_t least = std::numeric_limits<uint64_t>::max();
    uint32_t best = 0;
    for (uint32_t radix = 2; radix <= 16; ++radix) {
      const uint64_t time = Simulation(nodes, radix, DisseminationShape::forward, costs).run();
      if (time < least) least = time, best = radix;
    }
    const RadixTime found = best_of(dissemination_times(nodes, DisseminationShape::forward, costs));
    ASSERT_EQ(found.radix, best);
    ASSERT_EQ(found.time_ps, least);
  }
}

TEST(Radix, FollowsTheNetwork) {
  const auto best = [](const NetworkCosts& costs) {
    return best_of(dissemination_times(4096, DisseminationShape::forward, costs)).radix;
  };
  // If only the latency counts, fewest rounds win.
  EXPECT_EQ(best({.latency_ps = 1'000'000}), 16U);
  // If messages cost as much as the latency: 7 rounds of two and one of one beat 12 of one and 6 of three.
  EXPECT_EQ(best({.send_overhead_ps = 1000, .receive_overhead_ps = 1000}), 3U);
  EXPECT_EQ(best({.send_overhead_ps = 1000}), 2U);
}

TEST(Radix, EveryCountHasOne) {
  for (const uint32_t nodes : {1U, 2U, 1U << 20, (1U << 20) + 1, 0xffffffffU}) {
    EXPECT_FALSE(dissemination_times(nodes, DisseminationShape::forward, k_networks[0]).empty());
    EXPECT_FALSE(dissemination_times(nodes, DisseminationShape::symmetric, k_networks[0]).empty());
  }
  EXPECT_EQ(best_of(dissemination_times(1, DisseminationShape::forward, k_networks[0])),
            (RadixTime{.radix = 2}));
}

}  // namespace
}  // namespace tutti::offload
