#pragma once
// The hwloc functions in use, from the library that the process has already loaded (MPI libraries bring it) or that the
// system has. hwloc is loaded with dlopen() instead of linked: a linked program could get two copies, or one that is
// too old for its MPI, or fail to load the preload library because there is none. Internal to tutti_topology_hwloc.

#include <hwloc.h>

namespace tutti::topology {

struct HwlocLibrary {
  // NOLINTBEGIN(readability-identifier-naming): hwloc's, without their prefix
  decltype(&::hwloc_topology_init) topology_init = nullptr;
  decltype(&::hwloc_topology_load) topology_load = nullptr;
  decltype(&::hwloc_topology_destroy) topology_destroy = nullptr;
  decltype(&::hwloc_topology_set_synthetic) topology_set_synthetic = nullptr;
  decltype(&::hwloc_topology_set_type_filter) topology_set_type_filter = nullptr;
  decltype(&::hwloc_topology_set_all_types_filter) topology_set_all_types_filter = nullptr;
  decltype(&::hwloc_topology_get_topology_cpuset) topology_get_topology_cpuset = nullptr;
  decltype(&::hwloc_get_type_depth) get_type_depth = nullptr;
  decltype(&::hwloc_get_nbobjs_by_depth) get_nbobjs_by_depth = nullptr;
  decltype(&::hwloc_get_obj_by_depth) get_obj_by_depth = nullptr;
  decltype(&::hwloc_get_cpubind) get_cpubind = nullptr;
  decltype(&::hwloc_bitmap_alloc) bitmap_alloc = nullptr;
  decltype(&::hwloc_bitmap_free) bitmap_free = nullptr;
  decltype(&::hwloc_bitmap_dup) bitmap_dup = nullptr;
  decltype(&::hwloc_bitmap_set) bitmap_set = nullptr;
  decltype(&::hwloc_bitmap_zero) bitmap_zero = nullptr;
  decltype(&::hwloc_bitmap_and) bitmap_and = nullptr;
  decltype(&::hwloc_bitmap_first) bitmap_first = nullptr;
  decltype(&::hwloc_bitmap_next) bitmap_next = nullptr;
  decltype(&::hwloc_bitmap_iszero) bitmap_iszero = nullptr;
  decltype(&::hwloc_bitmap_isincluded) bitmap_isincluded = nullptr;
  // NOLINTEND(readability-identifier-naming)
};

/// nullptr: there is no hwloc, or one with another ABI. The library stays loaded. Any thread.
const HwlocLibrary* hwloc_library();

}  // namespace tutti::topology
