#pragma once
// The CPU resources that processes report to each other (cpu_shares.hpp).

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "topology/cpu_shares.hpp"

namespace tutti::topology {

/// CPU resources of the calling thread, with all limits of its control groups; the number of threads is
/// OMP_NUM_THREADS. Reads a few files.
CpuUse own_cpu_use();

/// Encodes `use` in 32-bit words for the exchange between processes of one program; a range of consecutive units takes
/// two words.
std::vector<uint32_t> encode(const CpuUse& use);
/// Decodes the result of encode().
CpuUse decode_cpu_use(std::span<const uint32_t> words);

/// Input of share_cpus(): for each unit the lowest unit of its core, as the kernel reports it; reads one file per core.
/// A unit without a report is a core of its own. `root` is prepended to all file names; empty except in tests.
std::vector<uint32_t> read_core_of_unit(std::span<const uint32_t> units, const std::string& root = {});

}  // namespace tutti::topology
