// The built-in machines with the sources of their numbers. They are parsed like files. Papers about networks do not
// describe memory: without "memory" the default machine's values apply.

#include "simulate/machine.hpp"

namespace tutti::simulate {

namespace {

constexpr std::string_view k_default = R"({
  "name": "default",
  "because": "Round numbers of a cluster with InfiniBand: 2.5 us from process to process, 10 GB/s."
})";

constexpr std::string_view k_paper000 = R"({
  "name": "paper000",
  "because": "Paper 000 §4.1: 16 nodes of 8 cores, InfiniBand. The paper publishes neither latency nor bandwidth; these are the numbers of the platform on which SimGrid's SMPI was measured for comparison: a full crossbar, 1.5 GB/s and 0.75 us for each of the two links on the way, in a node 2 GB/s for one copy and 6 GB/s for all.",
  "network": {"latency_ns": 1500, "overhead_ns": 500, "gap_ns": 100, "ns_per_byte": 0.6667, "eager_bytes": 12288},
  "node": {"latency_ns": 300, "overhead_ns": 200, "eager_bytes": 12288},
  "memory": {"copy_ns_per_byte": 0.5, "shared_ns_per_byte": 0.16667, "cache_bytes": 0}
})";

constexpr std::string_view k_loggopsim = R"({
  "name": "loggopsim",
  "because": "What LogGOPSim has without options (Hoefler, Schneider, Lumsdaine, HPDC 2010): L=2500 o=1500 g=1000 G=6 O=0 S=65535.",
  "network": {"latency_ns": 2500, "overhead_ns": 1500, "gap_ns": 1000, "ns_per_byte": 6, "eager_bytes": 65535}
})";

constexpr std::string_view k_infiniband = R"({
  "name": "infiniband",
  "because": "Zambre, Grodowitz, Chandramowlishwaran, Shamis (ICPP 2019, arXiv:2002.02563), ThunderX2 and ConnectX-4 EDR: on the way PCIe 137.49, wire 274.81 and root complex to memory 240.96 ns, and 108 per switch of 36 ports; the CPU 175.42 + 26.56 ns to send and 61.63 + 224.66 to receive, here the mean of both. 12.5 GB/s.",
  "network": {"topology": "fat-tree:36", "latency_ns": 653.26, "overhead_ns": 244.13, "gap_ns": 100, "ns_per_byte": 0.08, "hop_ns": 108, "link_ns_per_byte": 0.08}
})";

constexpr std::string_view k_gemini = R"({
  "name": "gemini",
  "because": "Alverson, Roweth, Kaplan (HOTI 2010), Cray's Gemini: a put to a neighbour takes 700 ns, 105 of them a hop, MPI 1500; links from 4.68 GB/s. What MPI adds is split over both CPUs.",
  "network": {"topology": "torus", "latency_ns": 490, "overhead_ns": 400, "gap_ns": 100, "ns_per_byte": 0.2137, "hop_ns": 105, "link_ns_per_byte": 0.2137}
})";

constexpr std::string_view k_tofu2 = R"({
  "name": "tofu2",
  "because": "Ajima et al. (CLUSTER 2018) for Tofu2: a put takes 710 ns, links of 12.5 GB/s; 100 ns per hop (IEEE Micro 2012). A put passes two routers. CPU: Zambre et al. 2019.",
  "network": {"topology": "torus", "latency_ns": 510, "overhead_ns": 244.13, "gap_ns": 100, "ns_per_byte": 0.08, "hop_ns": 100, "link_ns_per_byte": 0.08}
})";

constexpr PublishedMachine k_machines[] = {
    {"default", "round numbers: 2.5 us, 10 GB/s, crossbar", k_default},
    {"paper000", "16 nodes of 8 cores, as SMPI has them", k_paper000},
    {"loggopsim", "LogGOPSim without options", k_loggopsim},
    {"infiniband", "ThunderX2, ConnectX-4 EDR, fat tree (Zambre et al. 2019)", k_infiniband},
    {"gemini", "Cray Gemini, torus (Alverson et al. 2010)", k_gemini},
    {"tofu2", "Tofu2, torus (Ajima et al. 2018)", k_tofu2},
};

}  // namespace

std::span<const PublishedMachine> published_machines() {
  return k_machines;
}

}  // namespace tutti::simulate
