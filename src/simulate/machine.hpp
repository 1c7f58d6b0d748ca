#pragma once
// Cost model of a machine: LogGOPS (Hoefler, Schneider, Lumsdaine, HPDC 2010) between nodes and inside a node, copies
// that share a node's memory, reductions, and optionally the links of a network. docs/simulation.md describes how the
// executor applies these numbers. Pure, except load_machine(); any thread.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/parameter_file.hpp"
#include "base/status.hpp"
#include "interconnect/network_topology.hpp"

namespace tutti::simulate {

/// Parameters as in a file: times in nanoseconds, sizes in bytes.
struct Machine {
  std::string name = "default";
  /// Argument for interconnect::make_topology(); "crossbar": one link per node, and no shared links.
  std::string topology = "crossbar";

  // Between nodes.
  double latency_ns = 1500;         // L: from NIC to NIC
  double overhead_ns = 500;         // o: of the CPU, per message, on either side
  double overhead_ns_per_byte = 0;  // O: likewise, per additional byte
  double gap_ns = 100;              // g: of the NIC, between two messages, in either direction
  double ns_per_byte = 0.1;         // G: of the NIC, per additional byte, in either direction
  double eager_bytes = 16384;       // S: longer messages send a request first
  double hop_ns = 0;                // of each router, if there is a topology
  double link_ns_per_byte = 0;      // of the links between routers

  // Inside a node.
  double local_latency_ns = 300;     // until the other process notices the data
  double local_overhead_ns = 200;    // of the CPU, per message, on either side
  double local_eager_bytes = 16384;  // longer messages are copied once, by the receiver; others twice

  // Memory.
  double copy_ns_per_byte = 0.2;     // a single copy
  double shared_ns_per_byte = 0.05;  // all copies of a node together
  double cache_bytes = 8192;         // copies up to this size do not use shared memory bandwidth
  double reduce_ns_per_byte = 0.3;   // per byte of the operand

  // The engine.
  double window = 4;  // transfers in flight per peer and direction
};

/// Description of one parameter.
using MachineParameter = base::NumberField<Machine>;
std::span<const MachineParameter> machine_parameters();

/// A built-in machine.
using PublishedMachine = base::PublishedFile;
std::span<const PublishedMachine> published_machines();

/// Parses the text of a JSON file; missing values are those of the default machine:
///   {"name": "mine", "network": {"latency_ns": 1200, …}, "node": …, "memory": …, "engine": …}
/// In any object "because" may state the source of its numbers. Error: invalid_argument, one line that starts with
/// `origin`.
base::Result<Machine> parse_machine(std::string_view text, const std::string& origin);

/// Loads a built-in machine by name, or a file.
base::Result<Machine> load_machine(const std::string& where);

/// All parameters as JSON for parse_machine().
std::string format_machine(const Machine& machine);

/// The topology for this number of nodes; nullptr: a crossbar. Error: as interconnect::make_topology().
base::Result<std::unique_ptr<interconnect::NetworkTopology>> make_links(const Machine& machine,
                                                                        uint32_t nodes);

/// JSON schema of the files.
std::string machine_schema();

/// A fixed price and a price per byte, as integers in picoseconds and femtoseconds.
struct Price {
  uint64_t once_ps = 0;
  uint64_t per_byte_fs = 0;

  /// Price of a message: bytes after the first one count, as in LogGP; rounded down to picoseconds.
  uint64_t of_message(uint64_t bytes) const { return of_bytes(bytes < 2 ? 0 : bytes - 1); }
  /// Price with all bytes counted.
  uint64_t of_bytes(uint64_t bytes) const {
    return once_ps + static_cast<uint64_t>(static_cast<unsigned __int128>(bytes) * per_byte_fs / 1000);
  }
};

/// The machine's parameters as integers.
struct Costs {
  uint64_t latency_ps = 0;
  Price cpu;  // o, O
  Price nic;  // g, G
  uint64_t eager_bytes = 0;
  uint64_t hop_ps = 0;
  Price link;
  uint64_t local_latency_ps = 0;
  Price local_cpu;
  uint64_t local_eager_bytes = 0;
  Price copy;
  uint64_t shared_fs_per_byte = 0;
  uint64_t cache_bytes = 0;
  Price reduce;
  uint32_t window = 1;
  bool starts_in_order = true;  // transfers with one peer in one direction
};
Costs costs_of(const Machine& machine);

}  // namespace tutti::simulate
