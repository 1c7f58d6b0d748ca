#include "simulate/machine.hpp"

#include <array>
#include <cmath>

namespace tutti::simulate {

namespace {

constexpr double k_longest_ns = 1e9;
constexpr double k_slowest = 1e3;  // ns per byte; a message of 1 TiB stays below 2^60 ps
constexpr double k_largest = 1 << 30;

constexpr auto k_table = std::to_array<MachineParameter>({
    {"network", "latency_ns", &Machine::latency_ns, 0, k_longest_ns, false, "L: from NIC to NIC"},
    {"network", "overhead_ns", &Machine::overhead_ns, 0, k_longest_ns, false,
     "o: CPU per message, on either side"},
    {"network", "overhead_ns_per_byte", &Machine::overhead_ns_per_byte, 0, k_slowest, false,
     "O: CPU per further byte"},
    {"network", "gap_ns", &Machine::gap_ns, 0, k_longest_ns, false,
     "g: NIC per message, in either direction"},
    {"network", "ns_per_byte", &Machine::ns_per_byte, 0, k_slowest, false, "G: NIC per further byte"},
    {"network", "eager_bytes", &Machine::eager_bytes, 0, k_largest, true,
     "S: longer messages ask the receiver first"},
    {"network", "hop_ns", &Machine::hop_ns, 0, k_longest_ns, false, "each router of the topology"},
    {"network", "link_ns_per_byte", &Machine::link_ns_per_byte, 0, k_slowest, false,
     "each link between routers"},
    {"node", "latency_ns", &Machine::local_latency_ns, 0, k_longest_ns, false,
     "until another process sees that something is there"},
    {"node", "overhead_ns", &Machine::local_overhead_ns, 0, k_longest_ns, false,
     "CPU per message, on either side"},
    {"node", "eager_bytes", &Machine::local_eager_bytes, 0, k_largest, true,
     "longer messages are copied once, by the receiver; others twice"},
    {"memory", "copy_ns_per_byte", &Machine::copy_ns_per_byte, 0, k_slowest, false, "one copy alone"},
    {"memory", "shared_ns_per_byte", &Machine::shared_ns_per_byte, 0, k_slowest, false,
     "all copies of a node together"},
    {"memory", "cache_bytes", &Machine::cache_bytes, 0, k_largest, true, "copies up to here do not share"},
    {"memory", "reduce_ns_per_byte", &Machine::reduce_ns_per_byte, 0, k_slowest, false,
     "reduction, per byte of operand"},
    {"engine", "window", &Machine::window, 1, 1 << 20, true,
     "transfers in flight for each peer and direction"},
});

uint64_t whole(double value, double factor) {
  return static_cast<uint64_t>(std::llround(value * factor));
}

Price price(double once_ns, double ns_per_byte) {
  return {.once_ps = whole(once_ns, 1e3), .per_byte_fs = whole(ns_per_byte, 1e6)};
}

}  // namespace

std::span<const MachineParameter> machine_parameters() {
  return k_table;
}

base::Result<std::unique_ptr<interconnect::NetworkTopology>> make_links(const Machine& machine,
                                                                        uint32_t nodes) {
  if (machine.topology == "crossbar") return std::unique_ptr<interconnect::NetworkTopology>();
  return interconnect::make_topology(machine.topology, nodes);
}

Costs costs_of(const Machine& machine) {
  return {
      .latency_ps = whole(machine.latency_ns, 1e3),
      .cpu = price(machine.overhead_ns, machine.overhead_ns_per_byte),
      .nic = price(machine.gap_ns, machine.ns_per_byte),
      .eager_bytes = static_cast<uint64_t>(machine.eager_bytes),
      .hop_ps = whole(machine.hop_ns, 1e3),
      .link = price(0, machine.link_ns_per_byte),
      .local_latency_ps = whole(machine.local_latency_ns, 1e3),
      .local_cpu = price(machine.local_overhead_ns, 0),
      .local_eager_bytes = static_cast<uint64_t>(machine.local_eager_bytes),
      .copy = price(0, machine.copy_ns_per_byte),
      .shared_fs_per_byte = whole(machine.shared_ns_per_byte, 1e6),
      .cache_bytes = static_cast<uint64_t>(machine.cache_bytes),
      .reduce = price(0, machine.reduce_ns_per_byte),
      .window = static_cast<uint32_t>(machine.window),
  };
}

}  // namespace tutti::simulate
