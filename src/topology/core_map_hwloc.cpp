// What hwloc knows about cores; part of tutti_topology_hwloc.

#include <fmt/format.h>
#include <hwloc.h>

#include "base/cpu_set.hpp"
#include "topology/core_choice.hpp"
#include "topology/hwloc_objects.hpp"

namespace tutti::topology {
namespace {

using base::Result;
using base::Status;

std::vector<uint32_t> units_of(hwloc_const_bitmap_t set) {
  std::vector<uint32_t> units;
  for (int unit = hwloc_bitmap_first(set); unit >= 0; unit = hwloc_bitmap_next(set, unit))
    units.push_back(static_cast<uint32_t>(unit));
  return units;
}

/// The first that the core is attached to; 0 where hwloc does not tell.
int32_t numa_node_of(hwloc_topology_t topology, hwloc_const_bitmap_t core) {
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr;)
    if (hwloc_bitmap_isincluded(core, node->cpuset)) return static_cast<int32_t>(node->os_index);
  return 0;
}

CoreMap map_of(hwloc_topology_t topology, hwloc_const_bitmap_t mask) {
  // Machines that do not tell which hardware threads share a core: each counts for itself.
  const bool has_cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0;
  const hwloc_obj_type_t type = has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  const HwlocBitmap usable(hwloc_bitmap_alloc());
  CoreMap map;
  for (hwloc_obj_t core = nullptr;
       (core = hwloc_get_next_obj_by_type(topology, type, core)) != nullptr && usable != nullptr;) {
    hwloc_bitmap_and(usable.get(), core->cpuset, mask);
    if (hwloc_bitmap_iszero(usable.get())) continue;
    map.cores.push_back({.numa_node = numa_node_of(topology, core->cpuset),
                         .units = units_of(core->cpuset),
                         .usable_units = units_of(usable.get())});
  }
  return map;
}

}  // namespace

Result<CoreMap> read_core_map() {
  Result<HwlocTopology> topology = load_hwloc_topology();
  if (!topology) return topology.status();
  const HwlocBitmap mask(hwloc_bitmap_alloc());
  if (mask == nullptr || hwloc_get_cpubind(topology->get(), mask.get(), HWLOC_CPUBIND_PROCESS) != 0)
    return hwloc_failed("read the affinity mask");
  return map_of(topology->get(), mask.get());
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
  const Result<CoreMap> map = read_core_map();
  if (!map) return {{}, "no spare core: " + map.status().message()};
  return choose_cores(*map, mode, place);
}

Result<CoreMap> synthetic_core_map(const std::string& machine, const std::vector<uint32_t>& units) {
  Result<HwlocTopology> topology = load_hwloc_topology(machine);
  if (!topology) return Status::invalid_argument("hwloc knows no machine like '" + machine + "'");
  const HwlocBitmap mask(hwloc_bitmap_dup(hwloc_topology_get_topology_cpuset(topology->get())));
  if (mask == nullptr) return hwloc_failed("copy a set");
  if (!units.empty()) hwloc_bitmap_zero(mask.get());
  for (const uint32_t unit : units) hwloc_bitmap_set(mask.get(), unit);
  return map_of(topology->get(), mask.get());
}

}  // namespace tutti::topology
