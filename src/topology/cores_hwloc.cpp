// A library of its own, tutti_topology_hwloc: programs that never ask for physical cores do not load hwloc.

#include <hwloc.h>

#include <mutex>
#include <optional>

#include "topology/cores.hpp"
#include "topology/hwloc_objects.hpp"

namespace tutti::topology {
namespace {

base::Result<uint32_t> count_cores() {
  const base::Result<HwlocTopology> topology = load_hwloc_topology();
  if (!topology) return topology.status();
  const HwlocBitmap mine(hwloc_bitmap_alloc());
  if (mine == nullptr || hwloc_get_cpubind(topology->get(), mine.get(), HWLOC_CPUBIND_PROCESS) != 0) {
    return hwloc_failed("read the affinity mask");
  }
  uint32_t count = 0;
  hwloc_obj_t core = nullptr;
  while ((core = hwloc_get_next_obj_by_type(topology->get(), HWLOC_OBJ_CORE, core)) != nullptr) {
    if (hwloc_bitmap_intersects(core->cpuset, mine.get())) ++count;
  }
  // Machines that do not tell which hardware threads share a core: each counts for itself.
  return count > 0 ? count : usable_cpu_count();
}

}  // namespace

base::Result<uint32_t> usable_core_count() {
  static std::mutex mutex;
  static std::optional<uint32_t> known;
  const std::lock_guard<std::mutex> lock(mutex);
  if (!known) {
    const base::Result<uint32_t> counted = count_cores();
    if (!counted) return counted;
    known = *counted;
  }
  return *known;
}

}  // namespace tutti::topology
