// Reads core maps with hwloc; part of tutti_topology_hwloc.

#include <fmt/format.h>

#include <span>
#include <vector>

#include "base/cpu_set.hpp"
#include "topology/core_choice.hpp"
#include "topology/hwloc_objects.hpp"

namespace tutti::topology {
namespace {

using base::Result;
using base::Status;

std::vector<uint32_t> units_of(const HwlocLibrary& hwloc, hwloc_const_bitmap_t set) {
  std::vector<uint32_t> units;
  for (int unit = hwloc.bitmap_first(set); unit >= 0; unit = hwloc.bitmap_next(set, unit))
    units.push_back(static_cast<uint32_t>(unit));
  return units;
}

/// All objects of a type.
std::vector<hwloc_obj_t> objects(const HwlocLibrary& hwloc, hwloc_topology_t topology,
                                 hwloc_obj_type_t type) {
  std::vector<hwloc_obj_t> found;
  const int depth = hwloc.get_type_depth(topology, type);
  if (depth == HWLOC_TYPE_DEPTH_UNKNOWN || depth == HWLOC_TYPE_DEPTH_MULTIPLE) return found;
  for (unsigned i = 0; i < hwloc.get_nbobjs_by_depth(topology, depth); ++i)
    found.push_back(hwloc.get_obj_by_depth(topology, depth, i));
  return found;
}

/// Number of the first NUMA node that contains the core; 0 if hwloc reports none.
int32_t numa_node_of(const HwlocLibrary& hwloc, std::span<const hwloc_obj_t> nodes,
                     hwloc_const_bitmap_t core) {
  for (const hwloc_obj_t node : nodes)
    if (hwloc.bitmap_isincluded(core, node->cpuset)) return static_cast<int32_t>(node->os_index);
  return 0;
}

CoreMap map_of(const HwlocLibrary& hwloc, hwloc_topology_t topology, hwloc_const_bitmap_t mask) {
  std::vector<hwloc_obj_t> cores = objects(hwloc, topology, HWLOC_OBJ_CORE);
  // If the machine does not report cores, each hardware thread counts as one.
  if (cores.empty()) cores = objects(hwloc, topology, HWLOC_OBJ_PU);
  const std::vector<hwloc_obj_t> nodes = objects(hwloc, topology, HWLOC_OBJ_NUMANODE);
  const HwlocBitmap usable(hwloc.bitmap_alloc());
  CoreMap map;
  if (usable == nullptr) return map;
  for (const hwloc_obj_t core : cores) {
    hwloc.bitmap_and(usable.get(), core->cpuset, mask);
    if (hwloc.bitmap_iszero(usable.get())) continue;
    map.cores.push_back({.numa_node = numa_node_of(hwloc, nodes, core->cpuset),
                         .units = units_of(hwloc, core->cpuset),
                         .usable_units = units_of(hwloc, usable.get())});
  }
  return map;
}

}  // namespace

Result<CoreMap> read_core_map() {
  Result<HwlocTopology> topology = load_hwloc_topology();
  if (!topology) return topology.status();
  const HwlocLibrary& hwloc = *hwloc_library();
  const HwlocBitmap mask(hwloc.bitmap_alloc());
  if (mask == nullptr || hwloc.get_cpubind(topology->get(), mask.get(), HWLOC_CPUBIND_PROCESS) != 0)
    return hwloc_failed("read the affinity mask");
  return map_of(hwloc, topology->get(), mask.get());
}

CoreChoice choose_own_cores(CoreMode mode, MaskPlace place) {
  const uint32_t units = base::usable_cpu_count();
  if (mode == CoreMode::spare && units < 2)
    return {{}, "no spare core: this process may use only one processing unit"};
  if (mode == CoreMode::shared)
    return {{}, fmt::format("shares the {} processing units of this process", units)};
  if (units < 2 * place.count)
    return {{},
            fmt::format("no spare core: {} processes of this machine share {} processing units", place.count,
                        units)};
  if (!place.can_have_two_cores)
    return {{}, "no spare core: the processes of this machine cannot have two cores each"};
  const Result<CoreMap> map = read_core_map();
  if (!map) return {{}, "no spare core: " + map.status().message()};
  return choose_cores(*map, mode, place);
}

Result<CoreMap> synthetic_core_map(const std::string& machine, const std::vector<uint32_t>& units) {
  Result<HwlocTopology> topology = load_hwloc_topology(machine);
  if (!topology) return Status::invalid_argument("hwloc knows no machine like '" + machine + "'");
  const HwlocLibrary& hwloc = *hwloc_library();
  const HwlocBitmap mask(hwloc.bitmap_dup(hwloc.topology_get_topology_cpuset(topology->get())));
  if (mask == nullptr) return hwloc_failed("copy a set");
  if (!units.empty()) hwloc.bitmap_zero(mask.get());
  for (const uint32_t unit : units) hwloc.bitmap_set(mask.get(), unit);
  return map_of(hwloc, topology->get(), mask.get());
}

}  // namespace tutti::topology
