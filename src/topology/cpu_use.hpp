#pragma once
// What processes tell each other about the processing units that they may use (cpu_shares.hpp).

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "topology/cpu_shares.hpp"

namespace tutti::topology {

/// Of the calling thread, with all limits of its control groups. An OpenMP program (OMP_NUM_THREADS) computes with
/// several threads. Reads a few files.
CpuUse own_cpu_use();

/// As words that travel between processes of one program: sets of neighbouring units take two.
std::vector<uint32_t> encode(const CpuUse& use);
/// What encode() has made.
CpuUse decode_cpu_use(std::span<const uint32_t> words);

/// For share_cpus(): the lowest unit of each one's core, as the kernel tells; reads a file for each core. Units without
/// an answer are cores by themselves. `root` stands in front of all file names; empty but in tests.
std::vector<uint32_t> read_core_of_unit(std::span<const uint32_t> units, const std::string& root = {});

}  // namespace tutti::topology
