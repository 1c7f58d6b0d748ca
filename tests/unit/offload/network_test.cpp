#include "offload/network/network.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "base/random.hpp"
#include "interconnect/network_topology.hpp"

namespace tutti::offload::network {
namespace {

using interconnect::make_torus;

std::vector<std::unique_ptr<NetworkTopology>> some_topologies() {
  std::vector<std::unique_ptr<NetworkTopology>> made;
  for (const char* what : {"torus:4x3x2", "torus:5x1x1", "fat-tree:6", "dragonfly:4x2x2"})
    made.push_back(std::move(interconnect::make_topology(what, 5).value()));
  return made;
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
std::pair<NetworkCounters, uint64_t> shake(const NetworkTopology& topology, const Faults& faults,
                                           uint64_t limit, bool skips) {
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

}  // namespace
}  // namespace tutti::offload::network
