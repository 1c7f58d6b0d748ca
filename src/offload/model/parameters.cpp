#include "offload/model/parameters.hpp"

#include <algorithm>
#include <cmath>

namespace tutti::offload::model {

std::span<const ParameterInfo> parameter_table() {
  using P = Parameters;
  static const ParameterInfo table[] = {
      {"", "clock_mhz", &P::clock_mhz, 1, 10000, false, "clock of the engine, and step of the model"},
      {"network", "hop_ns", &P::hop_ns, 0, 1e5, false, "a router and a cable, for a packet's head"},
      {"network", "link_gbps", &P::link_gbps, 0.001, 1e4, false, "GB/s of a link, per direction"},
      {"network", "framing_bytes", &P::framing_bytes, 0, 256, true, "per packet on a link"},
      {"network", "least_bytes", &P::least_bytes, 1, 4096, true, "of a packet on a link"},
      {"network", "buffer_packets", &P::buffer_packets, 1, 1024, true, "per input and virtual channel"},
      {"network", "inject_ns", &P::inject_ns, 0, 1e5, false, "from the engine to the first router"},
      {"network", "eject_ns", &P::eject_ns, 0, 1e5, false, "from the last router to the engine"},
      {"nic", "pio_ns", &P::pio_ns, 0, 1e5, false, "a CPU's store until the NIC has it"},
      {"nic", "dma_write_ns", &P::dma_write_ns, 0, 1e5, false, "a NIC's write until the CPU can see it"},
      {"nic", "dma_read_ns", &P::dma_read_ns, 0, 1e5, false, "a NIC's read until it has the first word"},
      {"nic", "pcie_gbps", &P::pcie_gbps, 0.001, 1e4, false, "GB/s of the host interface, per direction"},
      {"nic", "pcie_header_bytes", &P::pcie_header_bytes, 0, 256, true, "per transaction"},
      {"host", "post_ns", &P::post_ns, 0, 1e6, false, "CPU: a descriptor, with its first 64 bytes"},
      {"host", "line_ns", &P::line_ns, 0, 1e6, false, "CPU: every further 64 bytes through PIO"},
      {"host", "poll_ns", &P::poll_ns, 0, 1e6, false, "CPU: takes a completion that is there"},
      {"host", "interrupt_ns", &P::interrupt_ns, 0, 1e7, false, "until the program knows of an interrupt"},
      {"host", "send_ns", &P::send_ns, 0, 1e6, false, "CPU: software barrier, per message sent"},
      {"host", "receive_ns", &P::receive_ns, 0, 1e6, false, "CPU: software barrier, per message received"},
      {"host", "mpi_send_ns", &P::mpi_send_ns, 0, 1e6, false, "CPU: what MPI adds to send_ns"},
      {"host", "mpi_receive_ns", &P::mpi_receive_ns, 0, 1e6, false, "CPU: what MPI adds to receive_ns"},
      {"host", "message_bytes", &P::message_bytes, 0, 64, true, "payload of a software notification"},
      {"engine", "contexts", &P::contexts, 1, 16, true, "descriptors in flight"},
      {"engine", "damq_depth", &P::damq_depth, 1, 64, true, "entries of the request DAMQ"},
      {"engine", "ids", &P::ids, 1, 1024, true, "barrier ids"},
      {"engine", "backoff_ns", &P::backoff_ns, 1, 1e7, false, "before the first retry of what was refused"},
      {"engine", "timeout_ns", &P::timeout_ns, 1, 1e7, false, "before what was not answered is sent again"},
      {"engine", "shift_max", &P::shift_max, 0, 8, true, "both double at most so often"},
      {"engine", "strict", &P::strict, 0, 1, true, "1: a round also waits for the responses before"},
  };
  return table;
}

namespace {

uint32_t cycles(double ns, double ns_per_cycle, uint32_t least) {
  // Differences below 1e-7 of a cycle are rounding errors.
  return std::max(least, static_cast<uint32_t>(std::ceil(ns / ns_per_cycle - 1e-7)));
}

}  // namespace

uint32_t Timing::pcie_cycles(uint32_t bytes) const {
  return std::max(1u, static_cast<uint32_t>(std::ceil((bytes + pcie_header_bytes) / pcie_bytes_per_cycle)));
}

Timing timing_of(const Parameters& p) {
  const double step = 1000 / p.clock_mhz;
  const auto whole = [](double value) { return static_cast<uint32_t>(value); };
  const auto at_least_one = [step](double ns) { return cycles(ns, step, 1); };
  const auto maybe_none = [step](double ns) { return cycles(ns, step, 0); };
  Timing t;
  t.ns_per_cycle = step;
  t.network = {.hop_cycles = at_least_one(p.hop_ns),
               .inject_cycles = at_least_one(p.inject_ns),
               .eject_cycles = at_least_one(p.eject_ns),
               .bytes_per_cycle = p.link_gbps * step,
               .framing_bytes = whole(p.framing_bytes),
               .least_bytes = whole(p.least_bytes),
               .slots = whole(p.buffer_packets)};
  t.engine.contexts = whole(p.contexts);
  t.engine.damq_depth = whole(p.damq_depth);
  t.engine.ids = whole(p.ids);
  t.engine.backoff_cycles = at_least_one(p.backoff_ns);
  t.engine.timeout_cycles = at_least_one(p.timeout_ns);
  t.engine.shift_max = whole(p.shift_max);
  t.engine.strict = p.strict != 0;
  t.pio = at_least_one(p.pio_ns);
  t.dma_write = at_least_one(p.dma_write_ns);
  t.dma_read = at_least_one(p.dma_read_ns);
  t.pcie_bytes_per_cycle = p.pcie_gbps * step;
  t.pcie_header_bytes = whole(p.pcie_header_bytes);
  t.post = maybe_none(p.post_ns);
  t.line = maybe_none(p.line_ns);
  t.poll = maybe_none(p.poll_ns);
  t.interrupt = maybe_none(p.interrupt_ns);
  t.send = maybe_none(p.send_ns);
  t.receive = maybe_none(p.receive_ns);
  t.mpi_send = maybe_none(p.mpi_send_ns);
  t.mpi_receive = maybe_none(p.mpi_receive_ns);
  t.message_bytes = whole(p.message_bytes);
  return t;
}

}  // namespace tutti::offload::model
