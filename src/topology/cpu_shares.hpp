#pragma once
// Which processes of a machine have processing units of their own, by the affinity masks and the limits of CPU time of
// all of them. Pure.

#include <cstdint>
#include <span>
#include <vector>

#include "base/cpu_share.hpp"

namespace tutti::topology {

/// A limit of the CPU time of a group of processes (cgroup).
struct CpuQuota {
  uint64_t group = 0;       // the same number for all processes of the group
  uint32_t milli_cpus = 0;  // thousandths of a processing unit
  bool operator==(const CpuQuota&) const = default;
};

/// What one process may use.
struct CpuUse {
  std::vector<uint32_t> units;   // of its affinity mask, ascending, by the numbers of the operating system
  std::vector<CpuQuota> quotas;  // of nested groups, the innermost first
  uint32_t threads = 1;          // that it computes with
  bool operator==(const CpuUse&) const = default;
};

struct CpuShares {
  std::vector<base::CpuShare> of_process;
  /// Processes that can have two cores each: one to compute on, one for a thread of Tutti's.
  std::vector<bool> has_two_cores;
};

/// `all`: the processes of one machine that work together. `core_of_unit`: which units are hardware threads of one
/// core; a unit beyond its end is a core by itself.
///
/// A process has a unit of its own when it has one in every distribution that serves as many processes as possible:
/// only then does its polling take nothing from another one. So of masks {0}, {0} and {0, 1} the last has unit 1, and
/// the others share unit 0. Quotas count as fractions of units. A process without units shares.
CpuShares share_cpus(std::span<const CpuUse> all, std::span<const uint32_t> core_of_unit);

}  // namespace tutti::topology
