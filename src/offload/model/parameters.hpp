#pragma once
// The parameters of a modelled machine: clock, network, NIC, PCIe and host, with published sets
// (docs/offload.md, "Parameters", has the source of every number). Pure; any thread.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/parameter_file.hpp"
#include "base/status.hpp"
#include "offload/network/network.hpp"
#include "offload/nic/ports.hpp"

namespace tutti::offload::model {

/// Times in nanoseconds, sizes in bytes, rates in GB/s (10^9).
struct Parameters {
  std::string name = "default";
  std::string topology = "torus";  // an argument of make_topology()

  double clock_mhz = 312.5;  // of the engine, and the step of the model

  // Network.
  double hop_ns = 105;   // router and cable
  double link_gbps = 5;  // GB/s per direction
  double framing_bytes = 8, least_bytes = 32, buffer_packets = 16;
  double inject_ns = 137.4, eject_ns = 137.4;  // NIC and cable: engine to router, router to engine

  // Host interface.
  double pio_ns = 137.49;        // from a store of the CPU until the NIC has it
  double dma_write_ns = 378.45;  // from a write of the NIC until the CPU can see it
  double dma_read_ns = 515.94;   // from a read of the NIC until it has the first word
  double pcie_gbps = 15.75;      // GB/s per direction
  double pcie_header_bytes = 26;

  // Host, offloaded: CPU times.
  double post_ns = 175.42;     // to write a descriptor, including its first 64 bytes
  double line_ns = 94.25;      // for each further 64 bytes through PIO
  double poll_ns = 61.63;      // to detect and consume a completion entry that is present
  double interrupt_ns = 3000;  // instead of poll_ns, with interrupts

  // Host, software barriers: CPU times per message.
  double send_ns = 175.42, receive_ns = 61.63;          // at the level of the NIC's user library
  double mpi_send_ns = 26.56, mpi_receive_ns = 224.66;  // added by MPI
  double message_bytes = 8;                             // payload of a software notification

  // The engine, as EngineConfiguration; delays in nanoseconds.
  double contexts = 4, damq_depth = 16, ids = 16;
  double backoff_ns = 800, timeout_ns = 25000, shift_max = 6;
  double strict = 0;  // 1: the next round also waits for responses
};

/// One row of the parameter table.
using ParameterInfo = base::NumberField<Parameters>;
std::span<const ParameterInfo> parameter_table();

/// A built-in parameter set.
using PublishedSet = base::PublishedFile;
std::span<const PublishedSet> published_sets();

/// Reads the text of a JSON file; missing values are those of the default set:
///   {"name": "mine", "clock_mhz": 400, "network": {"topology": "torus", "hop_ns": 100}, "nic": …,
///    "host": …, "engine": …}
/// Error: invalid_argument, one line that starts with `origin`.
base::Result<Parameters> parse_parameters(std::string_view text, const std::string& origin);

/// Loads a published set by name, or a file.
base::Result<Parameters> load_parameters(const std::string& where);

/// Formats all parameters as JSON that parse_parameters() can read.
std::string format_parameters(const Parameters& parameters);

/// The parameters in clock cycles of the engine, rounded up; latencies are at least 1.
struct Timing {
  double ns_per_cycle = 3.2;
  network::NetworkTiming network;
  nic::EngineConfiguration engine;
  uint32_t pio = 1, dma_write = 1, dma_read = 1;
  double pcie_bytes_per_cycle = 1;
  uint32_t pcie_header_bytes = 0;
  uint32_t post = 0, line = 0, poll = 0, interrupt = 0;
  uint32_t send = 0, receive = 0, mpi_send = 0, mpi_receive = 0;
  uint32_t message_bytes = 8;

  uint32_t pcie_cycles(uint32_t bytes) const;
};
Timing timing_of(const Parameters& parameters);

}  // namespace tutti::offload::model
