#include "interconnect/network_topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace tutti::interconnect {
namespace {

/// Follows the way of a packet; whether it ends at its destination, and soon.
bool arrives(const NetworkTopology& topology, uint32_t source, uint32_t destination) {
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

std::vector<std::unique_ptr<NetworkTopology>> some_topologies() {
  std::vector<std::unique_ptr<NetworkTopology>> made;
  for (const char* what :
       {"torus:4x3x2", "torus:5x1x1", "torus:2x2x2", "fat-tree:4", "fat-tree:6", "fat-tree:36"})
    made.push_back(std::move(make_topology(what, 5).value()));
  made.push_back(std::move(make_topology("fat-tree:4", 16).value()));
  made.push_back(std::move(make_topology("fat-tree:6", 70).value()));
  for (const char* what : {"dragonfly:4x2x2", "dragonfly:2x1x1", "dragonfly:3x2x1", "dragonfly"})
    for (const uint32_t nodes : {1, 5, 17, 18}) {
      auto dragonfly = make_topology(what, nodes);
      if (dragonfly) made.push_back(std::move(*dragonfly));
    }
  return made;
}

TEST(NetworkTopology, CablesHaveTwoEndsAndPacketsArrive) {
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

TEST(NetworkTopology, TorusTakesTheShorterWayInEachDimension) {
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
TEST(NetworkTopology, ChannelDependenciesHaveNoCycle) {
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

TEST(NetworkTopology, BadDescriptionsGetOneLine) {
  for (const char* what :
       {"", "ring", "torus:", "torus:4", "torus:4x4", "torus:0x1x1", "torus:4x4x99999",
        "torus:1024x1024x1024", "torus:2x2x1", "fat-tree:3", "fat-tree:5", "fat-tree:1000", "fat-tree:4x4",
        "torus:4x4x", "dragonfly:4", "dragonfly:0x1x1", "dragonfly:2x1x1", "dragonfly:300x1x1"}) {
    const auto made = make_topology(what, 100);
    ASSERT_FALSE(made.is_ok()) << what;
    EXPECT_EQ(made.status().message().find('\n'), std::string::npos);
    EXPECT_TRUE(made.status().message().starts_with("topology ")) << made.status().message();
  }
  EXPECT_FALSE(make_topology("fat-tree:4", 17).is_ok());
  EXPECT_FALSE(make_topology("torus", 0).is_ok());
}

TEST(NetworkTopology, TorusForHasRoom) {
  for (uint32_t nodes = 1; nodes <= 5000; ++nodes) {
    const auto [x, y, z] = torus_for(nodes);
    ASSERT_GE(x * y * z, nodes);
    ASSERT_LE(x, 3 * z);
    ASSERT_LE(x * y * z, nodes + nodes / 5 + 3) << nodes;
  }
  EXPECT_EQ(torus_for(128), (std::array<uint32_t, 3>{8, 4, 4}));
  EXPECT_EQ(torus_for(65536), (std::array<uint32_t, 3>{64, 32, 32}));
}

TEST(NetworkTopology, ADragonflyTakesOneCableBetweenGroups) {
  const auto dragonfly = std::move(make_topology("dragonfly:4x2x2", 72).value());
  ASSERT_EQ(dragonfly->routers(), 36u);  // 9 groups: as many as cables allow
  std::set<uint32_t> lengths;
  for (uint32_t from = 0; from < 72; ++from)
    for (uint32_t to = 0; to < 72; ++to) {
      uint32_t router = dragonfly->attachment(from).router, port = dragonfly->attachment(from).port, lane = 0,
               cables = 0;
      while (true) {
        const Step step = dragonfly->route(router, port, lane, from, to);
        if (dragonfly->is_global(router, step.port)) ++cables;
        const Peer next = dragonfly->peer(router, step.port);
        if (next.router == k_nowhere) break;
        router = next.router, port = next.port, lane = step.lane;
      }
      EXPECT_EQ(cables, from / 8 == to / 8 ? 0u : 1u);
      lengths.insert(routers_between(*dragonfly, from, to));
    }
  EXPECT_EQ(lengths, (std::set<uint32_t>{1, 2, 3, 4}));
}

TEST(NetworkTopology, ADragonflyHasRoom) {
  for (const uint32_t nodes : {1u, 2u, 100u, 5000u, 1u << 20}) {
    const auto made = make_topology("dragonfly", nodes);
    ASSERT_TRUE(made.is_ok()) << made.status().message();
    EXPECT_GE(made.value()->nodes(), nodes);
  }
}

}  // namespace
}  // namespace tutti::interconnect
