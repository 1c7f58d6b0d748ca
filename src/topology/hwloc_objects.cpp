#include "topology/hwloc_objects.hpp"

#include <cerrno>

namespace tutti::topology {

base::Status hwloc_failed(const char* what) {
  return base::Status::system(std::string("hwloc cannot ") + what, errno != 0 ? errno : EINVAL);
}

base::Result<HwlocTopology> load_hwloc_topology(const std::string& synthetic) {
  const HwlocLibrary* const hwloc = hwloc_library();
  if (hwloc == nullptr) return base::Status::not_found("there is no libhwloc.so.15");
  hwloc_topology_t made = nullptr;
  if (hwloc->topology_init(&made) != 0) return hwloc_failed("start");
  HwlocTopology topology(made);
  // Caches, devices and similar objects take most of the time and are not needed.
  hwloc->topology_set_all_types_filter(made, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc->topology_set_type_filter(made, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
  // Groups connect cores with their NUMA nodes; without them NUMA nodes would belong to the whole machine.
  hwloc->topology_set_type_filter(made, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
  if (!synthetic.empty() && hwloc->topology_set_synthetic(made, synthetic.c_str()) != 0)
    return hwloc_failed("make a machine up");
  if (hwloc->topology_load(made) != 0) return hwloc_failed("read the topology of this machine");
  return topology;
}

}  // namespace tutti::topology
