// Fabrics without levels: torus, dragonfly (Kim et al. 2008) and random regular graphs.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/random.hpp"
#include "fabric/generate_internal.hpp"

namespace tutti::fabric {

using base::Result;
using base::Status;

namespace {

Status too_large(std::string_view name) {
  return Status::invalid_argument(
      fmt::format("{}: more than {} switches or {} hosts", name, k_most_switches, k_most_hosts));
}

bool fits(uint64_t switches, uint64_t hosts_per_switch) {
  return switches <= k_most_switches && switches * hosts_per_switch <= k_most_hosts;
}

}  // namespace

/// Switch numbers count up in the first dimension first. A dimension of 2 has one cable, not two, between
/// neighbours.
Result<Fabric> generate_torus(const Sizes& sizes, uint32_t hosts) {
  uint64_t count = 1;
  unsigned ports = hosts;
  for (const uint32_t size : sizes) {
    count *= size;
    ports += std::min(size - 1, 2u);
    if (!fits(count, hosts)) return too_large("torus");
  }
  Assembly assembly;
  for (SwitchId id = 0; id < count; ++id) {
    assembly.add_switch(std::max(ports, 1u), fmt::format("switch {}", id));
    for (uint32_t host = 0; host < hosts; ++host) assembly.add_host(id);
  }
  uint32_t stride = 1;
  for (const uint32_t size : sizes) {
    for (SwitchId id = 0; id < count; ++id) {
      const uint32_t position = id / stride % size;
      if (position + 1 < size)
        assembly.connect(id, id + stride);
      else if (size > 2)
        assembly.connect(id, id - position * stride);
    }
    stride *= size;
  }
  return assembly.finish();
}

/// Group g cables its global port k (of a·h) to group g + k + 1, where it arrives at port a·h - 1 - k: every
/// pair of groups shares one cable ("palm tree" arrangement).
Result<Fabric> generate_dragonfly(uint32_t a, uint32_t p, uint32_t h) {
  const uint32_t groups = a * h + 1;
  if (!fits(uint64_t{groups} * a, p)) return too_large("dragonfly");
  Assembly assembly;
  for (SwitchId id = 0; id < groups * a; ++id) {
    assembly.add_switch(p + a - 1 + h, fmt::format("group {} switch {}", id / a, id % a));
    for (uint32_t host = 0; host < p; ++host) assembly.add_host(id);
  }
  for (uint32_t group = 0; group < groups; ++group)
    for (uint32_t i = 0; i < a; ++i)
      for (uint32_t j = i + 1; j < a; ++j) assembly.connect(group * a + i, group * a + j);
  for (uint32_t group = 0; group < groups; ++group)
    for (uint32_t port = 0; port < a * h; ++port) {
      const uint32_t other = (group + port + 1) % groups;
      if (other > group) assembly.connect(group * a + port / h, other * a + (a * h - 1 - port) / h);
    }
  return assembly.finish();
}

namespace {

using Pairs = std::vector<std::pair<SwitchId, SwitchId>>;

/// Pairs all free ports at random; if their number is odd, one stays free.
Pairs pair_ports(uint32_t switches, uint32_t degree, base::Random& random) {
  std::vector<SwitchId> ends;
  for (SwitchId id = 0; id < switches; ++id) ends.insert(ends.end(), degree, id);
  for (size_t i = ends.size(); i > 1; --i)
    std::swap(ends[i - 1], ends[random.below(static_cast<uint32_t>(i))]);
  Pairs pairs;
  for (size_t i = 0; i + 1 < ends.size(); i += 2) pairs.emplace_back(ends[i], ends[i + 1]);
  return pairs;
}

/// Swaps ends between pairs until no pair joins a switch to itself. Gives up if that is impossible (only two
/// switches).
void remove_loops(Pairs& pairs, base::Random& random) {
  constexpr int k_most_tries = 1000;
  for (auto& pair : pairs)
    for (int tries = 0; pair.first == pair.second && tries < k_most_tries; ++tries) {
      auto& other = pairs[random.below(static_cast<uint32_t>(pairs.size()))];
      if (other.first != pair.first && other.second != pair.first) std::swap(pair.second, other.second);
    }
}

bool is_connected(const Pairs& pairs, uint32_t switches) {
  std::vector<SwitchId> leader(switches);
  for (SwitchId id = 0; id < switches; ++id) leader[id] = id;
  const auto find = [&](SwitchId id) {
    while (leader[id] != id) id = leader[id] = leader[leader[id]];
    return id;
  };
  uint32_t parts = switches;
  for (const auto& [a, b] : pairs) {
    const SwitchId left = find(a), right = find(b);
    if (left == right) continue;
    leader[left] = right;
    --parts;
  }
  return parts == 1;
}

}  // namespace

Result<Fabric> generate_random(uint32_t switches, uint32_t ports, uint32_t hosts, uint64_t seed) {
  if (hosts >= ports)
    return Status::invalid_argument(
        fmt::format("random: hosts={} leaves no port of {} for other switches", hosts, ports));
  if (!fits(switches, hosts)) return too_large("random");
  constexpr int k_most_tries = 100;
  base::Random random(seed);
  for (int tries = 0; tries < k_most_tries; ++tries) {
    Pairs pairs = pair_ports(switches, ports - hosts, random);
    remove_loops(pairs, random);
    if (!is_connected(pairs, switches)) continue;
    Assembly assembly;
    for (SwitchId id = 0; id < switches; ++id) {
      assembly.add_switch(ports, fmt::format("switch {}", id));
      for (uint32_t host = 0; host < hosts; ++host) assembly.add_host(id);
    }
    for (const auto& [a, b] : pairs)
      if (a != b) assembly.connect(a, b);
    return assembly.finish();
  }
  return Status::invalid_argument(fmt::format(
      "random: {} cables at each of {} switches connect them by chance too rarely; give more ports",
      ports - hosts, switches));
}

}  // namespace tutti::fabric
