// The built-in parameter sets and the sources of their numbers. They are read by the parser of parameter
// files.

#include "offload/model/parameters.hpp"

namespace tutti::offload::model {

namespace {

// Host and host interface: Zambre, Grodowitz, Chandramowlishwaran, Shamis, "Breaking Band: A Breakdown of
// High-performance Communication" (ICPP 2019, arXiv:2002.02563), ThunderX2 and ConnectX-4 over PCIe 3.0:
//   LLP_post 175.42 ns (of which the PIO copy 94.25), PCIe 137.49, wire 274.81 (both NICs and cable), switch
//   108, root complex to memory 240.96, LLP_prog 61.63; above it MPI and UCP: 26.56 to send, 224.66 to
//   receive.
// A read takes two trips over PCIe and one memory access.

constexpr std::string_view k_default = R"({
  "name": "default",
  "because": "3D torus as in the paper, which publishes no number. Host and PCIe: Zambre et al. 2019 (a complete breakdown). Hop: Gemini (Alverson et al. 2010). Link and clock: Tofu (Ajima et al. 2012).",
  "clock_mhz": 312.5,
  "network": {"topology": "torus", "hop_ns": 105, "link_gbps": 5, "framing_bytes": 8, "least_bytes": 32,
              "buffer_packets": 16, "inject_ns": 137.4, "eject_ns": 137.4},
  "nic": {"pio_ns": 137.49, "dma_write_ns": 378.45, "dma_read_ns": 515.94, "pcie_gbps": 15.75, "pcie_header_bytes": 26},
  "host": {"post_ns": 175.42, "line_ns": 94.25, "poll_ns": 61.63, "interrupt_ns": 3000, "send_ns": 175.42,
           "receive_ns": 61.63, "mpi_send_ns": 26.56, "mpi_receive_ns": 224.66}
})";

constexpr std::string_view k_infiniband = R"({
  "name": "infiniband",
  "because": "Zambre et al. 2019 throughout: ConnectX-4 EDR, switches of 108 ns and 36 ports. The engine's clock is not published; as in the default set.",
  "clock_mhz": 312.5,
  "network": {"topology": "fat-tree:36", "hop_ns": 108, "link_gbps": 12.5, "framing_bytes": 8, "least_bytes": 32,
              "inject_ns": 137.4, "eject_ns": 137.4},
  "nic": {"pio_ns": 137.49, "dma_write_ns": 378.45, "dma_read_ns": 515.94, "pcie_gbps": 15.75},
  "host": {"post_ns": 175.42, "line_ns": 94.25, "poll_ns": 61.63, "send_ns": 175.42, "receive_ns": 61.63,
           "mpi_send_ns": 26.56, "mpi_receive_ns": 224.66}
})";

constexpr std::string_view k_gemini = R"({
  "name": "gemini",
  "because": "Alverson, Roweth, Kaplan, The Gemini System Interconnect (HOTI 2010): a put to a neighbour takes 700 ns, a further hop 105, MPI 1500; NIC clock 650 MHz, links from 4.68 GB/s. The 595 ns without the hop are split evenly over the two host interfaces and the two NICs, which is not published. CPU times: Zambre et al. 2019; what is missing to 1500 ns is MPI's.",
  "clock_mhz": 650,
  "network": {"topology": "torus", "hop_ns": 105, "link_gbps": 4.68, "framing_bytes": 8, "least_bytes": 32,
              "inject_ns": 148.75, "eject_ns": 148.75},
  "nic": {"pio_ns": 148.75, "dma_write_ns": 148.75, "dma_read_ns": 297.5, "pcie_gbps": 10.4, "pcie_header_bytes": 12},
  "host": {"post_ns": 175.42, "line_ns": 94.25, "poll_ns": 61.63, "send_ns": 175.42, "receive_ns": 61.63,
           "mpi_send_ns": 281.5, "mpi_receive_ns": 281.5}
})";

constexpr std::string_view k_tofu2 = R"({
  "name": "tofu2",
  "because": "Ajima et al., The Tofu Interconnect D (CLUSTER 2018) for Tofu2: a put takes 710 ns (TofuD's 490 are 31 % less), links of 12.5 GB/s, clock 390.625 MHz; 100 ns per hop from The Tofu Interconnect (IEEE Micro 2012). The NIC is on the processor's chip. The 610 ns without the hop are split evenly, which is not published. CPU times: Zambre et al. 2019.",
  "clock_mhz": 390.625,
  "network": {"topology": "torus", "hop_ns": 100, "link_gbps": 12.5, "framing_bytes": 8, "least_bytes": 32,
              "inject_ns": 152.5, "eject_ns": 152.5},
  "nic": {"pio_ns": 152.5, "dma_write_ns": 152.5, "dma_read_ns": 305, "pcie_gbps": 20, "pcie_header_bytes": 12},
  "host": {"post_ns": 175.42, "line_ns": 94.25, "poll_ns": 61.63, "send_ns": 175.42, "receive_ns": 61.63,
           "mpi_send_ns": 26.56, "mpi_receive_ns": 224.66}
})";

}  // namespace

std::span<const PublishedSet> published_sets() {
  static constexpr PublishedSet k_sets[] = {
      {"default", "3D torus as in the paper; host as measured by Zambre et al.", k_default},
      {"infiniband", "EDR InfiniBand, fat tree of 36-port switches", k_infiniband},
      {"gemini", "Cray Gemini, 3D torus", k_gemini},
      {"tofu2", "Fujitsu Tofu2, 3D torus, NIC on the processor's chip", k_tofu2},
  };
  return k_sets;
}

}  // namespace tutti::offload::model
