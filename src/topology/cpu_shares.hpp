#pragma once
// Determines which processes of a machine have exclusive processing units, from the affinity masks and CPU time limits
// of all processes. Pure.

#include <cstdint>
#include <span>
#include <vector>

#include "base/cpu_share.hpp"

namespace tutti::topology {

/// CPU time limit of a group of processes (cgroup).
struct CpuQuota {
  uint64_t group = 0;       // equal for all processes of the group
  uint32_t milli_cpus = 0;  // thousandths of a processing unit
  bool operator==(const CpuQuota&) const = default;
};

/// The CPU resources of one process.
struct CpuUse {
  std::vector<uint32_t> units;   // of its affinity mask, ascending, by the numbers of the operating system
  std::vector<CpuQuota> quotas;  // limits of its nested groups, innermost first
  uint32_t threads = 1;          // number of threads that compute
  bool operator==(const CpuUse&) const = default;
};

struct CpuShares {
  std::vector<base::CpuShare> of_process;
  /// Whether a process can have two cores, one for the computation and one for a thread of Tutti.
  std::vector<bool> has_two_cores;
};

/// `all`: the processes of one machine that belong to the job. `core_of_unit`: the core of each hardware thread; a unit
/// beyond the end of the list is a core of its own.
///
/// A process has a unit of its own if it has one in every distribution that serves the maximum number of processes:
/// only then its polling takes no time from other processes. For example, with the masks {0}, {0} and {0, 1} the last
/// process has unit 1, and the others share unit 0. Quotas count as fractions of units. A process without units shares.
CpuShares share_cpus(std::span<const CpuUse> all, std::span<const uint32_t> core_of_unit);

}  // namespace tutti::topology
