// Fat trees (k-ary n-trees of equal switches: Petrini, Vanneschi 1997; paper 004, section 4.2.1) and the two
// Sunway machines.

#include <fmt/format.h>

#include "fabric/generate_internal.hpp"

namespace tutti::fabric {

using base::Result;
using base::Status;

namespace {

constexpr uint64_t k_first_switch_guid = 0x0010000000000001;
constexpr uint64_t k_first_host_guid = 0x0020000000000001;

constexpr uint32_t k_hosts_per_block = 256;
constexpr uint32_t k_middles_per_block = 8;
constexpr uint32_t k_parallel_cables = 2;

}  // namespace

SwitchId Assembly::add_switch(unsigned ports, std::string name) {
  const auto id = builder_.add_switch(k_first_switch_guid + builder_.switch_count(), ports, std::move(name));
  if (!id && first_error_) first_error_ = id.status();
  next_port_.push_back(1);
  return id ? *id : 0;
}

void Assembly::add_host(SwitchId at) {
  const uint32_t number = builder_.host_count();
  const uint64_t node_guid = k_first_host_guid + 2 * uint64_t{number};
  const auto id = builder_.add_host(node_guid + 1, node_guid, 1, fmt::format("host {}", number));
  Status status = id ? builder_.attach(*id, at, next_port(at)) : id.status();
  if (!status && first_error_) first_error_ = std::move(status);
}

void Assembly::connect(SwitchId a, SwitchId b) {
  const unsigned a_port = next_port(a), b_port = next_port(b);
  Status status = builder_.connect(a, a_port, b, b_port);
  if (!status && first_error_) first_error_ = std::move(status);
}

Result<Fabric> Assembly::finish() {
  if (!first_error_) return first_error_;
  return builder_.finish();
}

/// levels=2: ports leaves of ports/2 hosts below ports/2 tops. levels=3: `ports` pods of ports/2 leaves and
/// ports/2 middles; the middle number m of every pod reaches the cores m·ports/2 to (m + 1)·ports/2 - 1.
Result<Fabric> generate_fat_tree(uint32_t ports, uint32_t levels) {
  if (ports % 2 != 0) return Status::invalid_argument(fmt::format("fat-tree: ports={} is odd", ports));
  const uint32_t half = ports / 2;
  const uint32_t pods = levels == 3 ? ports : 1, leaves_per_pod = levels == 3 ? half : ports;
  Assembly assembly;
  for (uint32_t leaf = 0; leaf < pods * leaves_per_pod; ++leaf) {
    const SwitchId id = assembly.add_switch(ports, fmt::format("leaf {}", leaf));
    for (uint32_t host = 0; host < half; ++host) assembly.add_host(id);
  }
  const SwitchId first_middle = pods * leaves_per_pod;
  for (uint32_t middle = 0; middle < pods * half; ++middle) {
    const SwitchId id = assembly.add_switch(ports, fmt::format("middle {}", middle));
    for (uint32_t leaf = 0; leaf < leaves_per_pod; ++leaf)
      assembly.connect(middle / half * leaves_per_pod + leaf, id);
  }
  for (uint32_t core = 0; levels == 3 && core < half * half; ++core) {
    const SwitchId id = assembly.add_switch(ports, fmt::format("top {}", core));
    for (uint32_t pod = 0; pod < pods; ++pod) assembly.connect(first_middle + pod * half + core / half, id);
  }
  return assembly.finish();
}

Result<Fabric> generate_sunway(const Sunway& machine, uint32_t hosts_per_leaf) {
  if (k_hosts_per_block % hosts_per_leaf != 0)
    return Status::invalid_argument(
        fmt::format("leaf={} does not divide a block of 256 hosts", hosts_per_leaf));
  const uint32_t leaves = k_hosts_per_block / hosts_per_leaf;
  const uint32_t uplinks = machine.tops * machine.middles_per_top / k_middles_per_block;
  Assembly assembly;
  for (uint32_t leaf = 0; leaf < machine.blocks * leaves; ++leaf) {
    const SwitchId id = assembly.add_switch(hosts_per_leaf + k_middles_per_block * k_parallel_cables,
                                            fmt::format("leaf {}", leaf));
    for (uint32_t host = 0; host < hosts_per_leaf; ++host) assembly.add_host(id);
  }
  const SwitchId first_middle = machine.blocks * leaves;
  for (uint32_t middle = 0; middle < machine.blocks * k_middles_per_block; ++middle) {
    const SwitchId id =
        assembly.add_switch(leaves * k_parallel_cables + uplinks, fmt::format("middle {}", middle));
    for (uint32_t leaf = 0; leaf < leaves; ++leaf)
      for (uint32_t cable = 0; cable < k_parallel_cables; ++cable)
        assembly.connect(middle / k_middles_per_block * leaves + leaf, id);
  }
  // Tops use the middles in turn: top t uses those from (t · middles_per_top) mod 8 on.
  for (uint32_t top = 0; top < machine.tops; ++top) {
    const SwitchId id =
        assembly.add_switch(machine.blocks * machine.middles_per_top, fmt::format("top {}", top));
    for (uint32_t block = 0; block < machine.blocks; ++block)
      for (uint32_t turn = 0; turn < machine.middles_per_top; ++turn)
        assembly.connect(first_middle + block * k_middles_per_block +
                             (top * machine.middles_per_top + turn) % k_middles_per_block,
                         id);
  }
  return assembly.finish();
}

}  // namespace tutti::fabric
