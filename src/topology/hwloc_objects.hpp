#pragma once
// Owning pointers for hwloc objects. A nonnull pointer implies that hwloc_library() is not null. Internal to
// tutti_topology_hwloc.

#include <memory>
#include <string>

#include "base/status.hpp"
#include "topology/hwloc_library.hpp"

namespace tutti::topology {

struct DestroyHwlocTopology {
  void operator()(hwloc_topology* topology) const { hwloc_library()->topology_destroy(topology); }
};
struct FreeHwlocBitmap {
  void operator()(hwloc_bitmap_s* bitmap) const { hwloc_library()->bitmap_free(bitmap); }
};
using HwlocTopology = std::unique_ptr<hwloc_topology, DestroyHwlocTopology>;
using HwlocBitmap = std::unique_ptr<hwloc_bitmap_s, FreeHwlocBitmap>;

/// Error "hwloc cannot `what`", with errno.
base::Status hwloc_failed(const char* what);

/// Loads the cores, hardware threads and NUMA nodes of this machine, or of the synthetic one that `synthetic`
/// describes.
base::Result<HwlocTopology> load_hwloc_topology(const std::string& synthetic = {});

}  // namespace tutti::topology
