// A library of its own, tutti_topology_hwloc: programs that never ask for physical cores do not load hwloc.

#include <hwloc.h>

#include <cerrno>
#include <memory>
#include <mutex>
#include <optional>

#include "topology/cores.hpp"

namespace tutti::topology {
namespace {

using base::Status;

struct DestroyTopology {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
struct FreeBitmap {
  void operator()(hwloc_bitmap_s* bitmap) const { hwloc_bitmap_free(bitmap); }
};

Status failed(const char* what) {
  return Status::system(std::string("hwloc cannot ") + what, errno != 0 ? errno : EINVAL);
}

base::Result<uint32_t> count_cores() {
  hwloc_topology_t loaded = nullptr;
  if (hwloc_topology_init(&loaded) != 0) return failed("start");
  const std::unique_ptr<hwloc_topology, DestroyTopology> topology(loaded);
  // Caches, devices and the like cost most of the time and tell nothing here.
  hwloc_topology_set_all_types_filter(loaded, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(loaded, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(loaded) != 0) return failed("read the topology of this machine");

  const std::unique_ptr<hwloc_bitmap_s, FreeBitmap> mine(hwloc_bitmap_alloc());
  if (mine == nullptr || hwloc_get_cpubind(loaded, mine.get(), HWLOC_CPUBIND_PROCESS) != 0) {
    return failed("read the affinity mask");
  }
  uint32_t count = 0;
  hwloc_obj_t core = nullptr;
  while ((core = hwloc_get_next_obj_by_type(loaded, HWLOC_OBJ_CORE, core)) != nullptr) {
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
