#pragma once
// Chooses the cores for Tutti's own thread of a process, so that it does not slow down the computation where
// that is possible.

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.hpp"

namespace tutti::topology {

/// Processing units that share a core.
struct Core {
  int32_t numa_node = 0;
  std::vector<uint32_t> units;         // all of the core, by the numbers of the operating system
  std::vector<uint32_t> usable_units;  // those in the process's affinity mask
};

/// The cores of which this process may use something, in the order of the machine.
struct CoreMap {
  std::vector<Core> cores;
};

enum class CoreMode : uint8_t {
  spare,   // a core that the computation leaves free
  shared,  // wherever the program runs
};

/// This process among those of its machine that have the same affinity mask. Nodes that share a kernel, such as
/// containers, share its cores as well.
struct MaskPlace {
  uint32_t index = 0;  // 0 .. count - 1
  uint32_t count = 1;
  /// Whatever the other processes of the machine use (CpuShares::has_two_cores).
  bool can_have_two_cores = true;
};

struct CoreChoice {
  std::vector<uint32_t> units;  // empty: leave the affinity as it is
  std::string reason;           // one line, for the report
  bool is_spare() const { return !units.empty(); }
};

/// Chooses the units of the thread.
///
/// `spare`: a core whose units are all in the mask rather than one that is shared with others, on the NUMA
/// node where the process has most of its cores rather than elsewhere, and the last such core, because
/// programs fill their masks from the front. Processes with the same mask (the case without binding) take one
/// core each. Where that would leave less than one core for the computation of each, or other processes or limits of
/// CPU time do (choose_own_cores()), no core is spare: then the affinity stays as it is, and the reason says why.
CoreChoice choose_cores(const CoreMap& map, CoreMode mode, MaskPlace place);

/// The calling process's map, by hwloc; in tutti_topology_hwloc. Takes tens of milliseconds at the first
/// call. Errors: system.
base::Result<CoreMap> read_core_map();
/// choose_cores() for the calling process. Reads its map only where there may be a core to spare; where it
/// cannot be read, there is none.
CoreChoice choose_own_cores(CoreMode mode, MaskPlace place);
/// The map of a machine that hwloc makes up, as in "numa:2 core:4 pu:2", for a process that may use `units`;
/// all, when that is empty. Errors: invalid_argument.
base::Result<CoreMap> synthetic_core_map(const std::string& machine, const std::vector<uint32_t>& units);

}  // namespace tutti::topology
