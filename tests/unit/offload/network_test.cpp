#include "offload/network/network.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "base/random.hpp"

namespace tutti::offload::network {
namespace {

/// Follows the way of a packet; whether it ends at its destination, and soon.
bool arrives(const Topology& topology, uint32_t source, uint32_t destination) {
  const Peer at = topology.attachment(source);
  uint32_t router = at.router, port = at.port, lane = 0;
  for (uint32_t passed = 1; passed <= 100; ++passed) {
    const Step step = topology.route(router, port, lane, source, destination);
    const Peer next = topology.peer(router, step.port);
    if (next.router == k_nowhere)
      return next.node == destination && passed == routers_between(topology, source, destination);
    router = next.router;
    port = next.port;
    lane = step.lane;
  }
  return false;
}

std::vector<std::unique_ptr<Topology>> some_topologies() {
  std::vector<std::unique_ptr<Topology>> made;
  for (const char* what :
       {"torus:4x3x2", "torus:5x1x1", "torus:2x2x2", "fat-tree:4", "fat-tree:6", "fat-tree:36"})
    made.push_back(std::move(make_topology(what, 5).value()));
  made.push_back(std::move(make_topology("fat-tree:4", 16).value()));
  made.push_back(std::move(make_topology("fat-tree:6", 70).value()));
  return made;
}

TEST(Topology, CablesHaveTwoEndsAndPacketsArrive) {
  for (const auto& topology : some_topologies()) {
    for (uint32_t router = 0; router < topology->routers(); ++router)
      for (uint32_t port = 0; port < topology->ports(); ++port) {
        const Peer peer = topology->peer(router, port);
        if (peer.router == k_nowhere) continue;
        const Peer back = topology->peer(peer.router, peer.port);
        ASSERT_EQ(back.router, router) << topology->describe();
        ASSERT_EQ(back.port, port) << topology->describe();
      }
    for (uint32_t from = 0; from < topology->nodes(); ++from)
      for (uint32_t to = 0; to < topology->nodes(); ++to)
        ASSERT_TRUE(arrives(*topology, from, to)) << topology->describe() << from << " " << to;
  }
}

TEST(Topology, TorusTakesTheShorterWayInEachDimension) {
  const auto torus = std::move(make_torus({5, 4, 3}).value());
  const auto distance = [](uint32_t a, uint32_t b, uint32_t size) {
    const uint32_t up = (b + size - a) % size;
    return std::min(up, size - up);
  };
  for (uint32_t from = 0; from < 60; ++from)
    for (uint32_t to = 0; to < 60; ++to)
      EXPECT_EQ(routers_between(*torus, from, to), 1 + distance(from % 5, to % 5, 5) +
                                                       distance(from / 5 % 4, to / 5 % 4, 4) +
                                                       distance(from / 20, to / 20, 3));
}

/// Channels wait for channels along every route; no cycle may come of it (Dally and Seitz 1987).
TEST(Topology, ChannelDependenciesHaveNoCycle) {
  for (const auto& topology : some_topologies()) {
    std::map<uint64_t, std::vector<uint64_t>> waits;
    for (uint32_t from = 0; from < topology->nodes(); ++from)
      for (uint32_t to = 0; to < topology->nodes(); ++to) {
        Peer at = topology->attachment(from);
        uint32_t router = at.router, port = at.port, lane = 0;
        uint64_t held = UINT64_MAX;
        while (true) {
          const Step step = topology->route(router, port, lane, from, to);
          const uint64_t next = (uint64_t{router} * topology->ports() + step.port) * 2 + step.lane;
          if (held != UINT64_MAX) waits[held].push_back(next);
          held = next;
          const Peer peer = topology->peer(router, step.port);
          if (peer.router == k_nowhere) break;
          router = peer.router;
          port = peer.port;
          lane = step.lane;
        }
      }
    std::map<uint64_t, int> state;  // 1: on the way, 2: done
    std::function<bool(uint64_t)> has_cycle = [&](uint64_t channel) {
      if (state[channel] != 0) return state[channel] == 1;
      state[channel] = 1;
      for (const uint64_t next : waits[channel])
        if (has_cycle(next)) return true;
      state[channel] = 2;
      return false;
    };
    for (const auto& [channel, unused] : std::map(waits))
      ASSERT_FALSE(has_cycle(channel)) << topology->describe();
  }
}

TEST(Topology, BadDescriptionsGetOneLine) {
  for (const char* what : {"", "ring", "torus:", "torus:4", "torus:4x4", "torus:0x1x1", "torus:4x4x99999",
                           "torus:1024x1024x1024", "torus:2x2x1", "fat-tree:3", "fat-tree:5", "fat-tree:1000",
                           "fat-tree:4x4", "torus:4x4x"}) {
    const auto made = make_topology(what, 100);
    ASSERT_FALSE(made.is_ok()) << what;
    EXPECT_EQ(made.status().message().find('\n'), std::string::npos);
    EXPECT_TRUE(made.status().message().starts_with("topology ")) << made.status().message();
  }
  EXPECT_FALSE(make_topology("fat-tree:4", 17).is_ok());
  EXPECT_FALSE(make_topology("torus", 0).is_ok());
}

TEST(Topology, TorusForHasRoom) {
  for (uint32_t nodes = 1; nodes <= 5000; ++nodes) {
    const auto [x, y, z] = torus_for(nodes);
    ASSERT_GE(x * y * z, nodes);
    ASSERT_LE(x, 3 * z);
    ASSERT_LE(x * y * z, nodes + nodes / 5 + 3) << nodes;
  }
  EXPECT_EQ(torus_for(128), (std::array<uint32_t, 3>{8, 4, 4}));
  EXPECT_EQ(torus_for(65536), (std::array<uint32_t, 3>{64, 32, 32}));
}

NetworkTiming timing() {
  return {.hop_cycles = 10,
          .inject_cycles = 5,
          .eject_cycles = 7,
          .bytes_per_cycle = 8,
          .framing_bytes = 8,
          .least_bytes = 32,
          .slots = 2};
}

Message message(uint32_t source, uint32_t destination, uint32_t bytes = 16) {
  Message made;
  made.source = source;
  made.destination = destination;
  made.bytes = bytes;
  return made;
}

TEST(Network, LatencyIsInjectionHopsEjectionAndOneSerialisation) {
  const auto torus = std::move(make_torus({8, 1, 1}).value());
  Network network(*torus, timing(), {});
  network.inject(message(0, 3), MessageClass::request, 0);
  uint64_t cycle = 0;
  while (network.front(3, MessageClass::request, cycle) == nullptr) {
    network.run(cycle, cycle + 1);
    ASSERT_LT(++cycle, 1000u);
  }
  // 32 bytes take 4 cycles; three hops between four routers.
  EXPECT_EQ(cycle - 1, 5u + 3 * 10 + 7 + 4);
  EXPECT_EQ(network.counters().hops, 3u);
}

TEST(Network, LinksCarryOneMessageAfterTheOther) {
  const auto torus = std::move(make_torus({4, 1, 1}).value());
  NetworkTiming slow = timing();
  slow.slots = 16;
  Network network(*torus, slow, {});
  std::vector<uint64_t> arrivals;
  uint32_t sent = 0;
  for (uint64_t cycle = 0; arrivals.size() < 20; ++cycle) {
    ASSERT_LT(cycle, 5000u);
    network.run(cycle, cycle + 1);
    if (sent < 20 && network.can_inject(0, MessageClass::request, cycle)) {
      network.inject(message(0, 1, 72), MessageClass::request, cycle);
      ++sent;
    }
    while (network.front(1, MessageClass::request, cycle) != nullptr) {
      arrivals.push_back(cycle);
      network.pop(1, MessageClass::request, cycle);
    }
  }
  for (size_t i = 1; i < arrivals.size(); ++i) EXPECT_EQ(arrivals[i] - arrivals[i - 1], 10u) << "80 bytes";
}

/// Random traffic with two slots per channel and ends that take their time; returns what happened.
std::pair<NetworkCounters, uint64_t> shake(const Topology& topology, const Faults& faults, uint64_t limit,
                                           bool skips) {
  Network network(topology, timing(), faults);
  const uint32_t nodes = topology.nodes();
  uint64_t left = 3000, hash = 0, cycle = 0;
  for (; cycle < limit && (left > 0 || !network.is_empty()); ++cycle) {
    if (!skips || network.next_event(cycle, cycle + 1) == cycle) network.run(cycle, cycle + 1);
    for (uint32_t node = 0; node < nodes; ++node)
      for (const auto of : {MessageClass::request, MessageClass::response, MessageClass::bulk}) {
        const uint64_t draw = base::mixed(cycle * 1000003 + node * 4 + static_cast<uint32_t>(of));
        if (left > 0 && draw % 3 == 0 && network.can_inject(node, of, cycle)) {
          network.inject(message(node, static_cast<uint32_t>(draw >> 8) % nodes, 16 + draw % 64), of, cycle);
          --left;
        }
        if (draw % 5 != 0) continue;
        if (const Message* front = network.front(node, of, cycle)) {
          hash = base::mixed(hash ^ cycle ^ (uint64_t{front->source} << 32) ^ front->bytes);
          network.pop(node, of, cycle);
        }
      }
  }
  EXPECT_TRUE(network.is_empty()) << topology.describe();
  return {network.counters(), hash};
}

TEST(Network, DeliversEverythingOnceUnderLoad) {
  for (const auto& topology : some_topologies()) {
    const auto [counters, hash] = shake(*topology, {}, 200000, false);
    EXPECT_EQ(counters.injected, 3000u);
    EXPECT_EQ(counters.delivered, 3000u);
    EXPECT_EQ(shake(*topology, {}, 200000, true).second, hash) << "cycles without events may be left out";
  }
}

TEST(Network, FaultsAreWhatTheSeedSays) {
  const auto torus = std::move(make_torus({4, 3, 2}).value());
  Faults faults{.loss = 0.02, .corruption = 0.02, .duplication = 0.05, .reordering = 0.1, .seed = 7};
  const auto [counters, hash] = shake(*torus, faults, 200000, false);
  EXPECT_EQ(counters.injected, 3000u);
  EXPECT_GT(counters.lost, 50u);
  EXPECT_GT(counters.corrupted, 50u);
  EXPECT_GT(counters.duplicated, 80u);
  EXPECT_GT(counters.delayed, 150u);
  EXPECT_GE(counters.delivered + counters.lost + counters.corrupted, 3000u);
  EXPECT_EQ(shake(*torus, faults, 200000, true).second, hash);
  faults.seed = 8;
  EXPECT_NE(shake(*torus, faults, 200000, true).second, hash);
}

TEST(EventWheel, KeepsOrderNearAndFar) {
  EventWheel<int> wheel(8);
  wheel.add(3, 1);
  wheel.add(100, 2);
  wheel.add(3, 3);
  std::vector<int> events;
  EXPECT_EQ(wheel.next(0, 1000), 3u);
  wheel.take(3, events);
  EXPECT_EQ(events, (std::vector<int>{1, 3}));
  EXPECT_EQ(wheel.next(4, 50), 50u);
  EXPECT_EQ(wheel.next(50, 1000), 100u);
  wheel.take(97, events);
  EXPECT_TRUE(events.empty());
  wheel.add(100, 4);
  wheel.take(100, events);
  EXPECT_EQ(events, (std::vector<int>{2, 4}));
  EXPECT_TRUE(wheel.is_empty());
}

}  // namespace
}  // namespace tutti::offload::network
