#pragma once
// Chooses the cores for Tutti's own thread of a process, so that it does not slow down the computation if possible.

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.hpp"

namespace tutti::topology {

/// Processing units (hardware threads) of one core.
struct Core {
  int32_t numa_node = 0;
  std::vector<uint32_t> units;         // all units of the core, by the numbers of the operating system
  std::vector<uint32_t> usable_units;  // those in the process's affinity mask
};

/// The cores of which this process may use at least one unit, in the order of the machine.
struct CoreMap {
  std::vector<Core> cores;
};

enum class CoreMode : uint8_t {
  spare,   // a core that the computation does not use
  shared,  // the cores of the program
};

/// Position of this process among the processes of its machine with the same affinity mask. Nodes that share a kernel,
/// such as containers, share its cores, too.
struct MaskPlace {
  uint32_t index = 0;  // 0 .. count - 1
  uint32_t count = 1;
  /// Takes into account the other processes of the machine (CpuShares::has_two_cores).
  bool can_have_two_cores = true;
};

struct CoreChoice {
  std::vector<uint32_t> units;  // empty: the affinity is not changed
  std::string reason;           // one line, for the report
  bool is_spare() const { return !units.empty(); }
};

/// Chooses the units of the thread.
///
/// `spare`: prefers a core whose units are all in the mask, then a core on the NUMA node on which the process has most
/// of its cores, then the last such core, because programs fill their masks from the front. Processes with the same
/// mask (the case without binding) take one core each. No core is spare if this would leave less than one core for the
/// computation of each process, also because of other processes or CPU time limits (choose_own_cores()): the affinity
/// then stays unchanged, and `reason` explains why.
CoreChoice choose_cores(const CoreMap& map, CoreMode mode, MaskPlace place);

/// The calling process's map, read with hwloc; in tutti_topology_hwloc. The first call takes tens of milliseconds.
/// Errors: system.
base::Result<CoreMap> read_core_map();
/// choose_cores() for the calling process. Reads its map only if a core may be spare; if the map cannot be read, no
/// core is spare.
CoreChoice choose_own_cores(CoreMode mode, MaskPlace place);
/// The map of a synthetic hwloc machine, for example "numa:2 core:4 pu:2", for a process that may use `units` (all if
/// empty). Errors: invalid_argument.
base::Result<CoreMap> synthetic_core_map(const std::string& machine, const std::vector<uint32_t>& units);

}  // namespace tutti::topology
