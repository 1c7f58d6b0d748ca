#include "topology/hwloc_library.hpp"

#include <dlfcn.h>

namespace tutti::topology {

namespace {

// Soname of hwloc 2; load() also checks the major version with hwloc_get_api_version().
constexpr const char* k_library = "libhwloc.so.15";
constexpr unsigned k_major_bits = 16;

template <class Function>
bool find(void* handle, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(handle, name));
  return *function != nullptr;
}

bool load(HwlocLibrary* library) {
  void* const handle = dlopen(k_library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) return false;
  decltype(&::hwloc_get_api_version) api_version = nullptr;
  if (!find(handle, "hwloc_get_api_version", &api_version) ||
      api_version() >> k_major_bits != HWLOC_API_VERSION >> k_major_bits)
    return false;
#define TUTTI_FIND(name) find(handle, "hwloc_" #name, &library->name)
  return TUTTI_FIND(topology_init) && TUTTI_FIND(topology_load) && TUTTI_FIND(topology_destroy) &&
         TUTTI_FIND(topology_set_synthetic) && TUTTI_FIND(topology_set_type_filter) &&
         TUTTI_FIND(topology_set_all_types_filter) && TUTTI_FIND(topology_get_topology_cpuset) &&
         TUTTI_FIND(get_type_depth) && TUTTI_FIND(get_nbobjs_by_depth) && TUTTI_FIND(get_obj_by_depth) &&
         TUTTI_FIND(get_cpubind) && TUTTI_FIND(bitmap_alloc) && TUTTI_FIND(bitmap_free) &&
         TUTTI_FIND(bitmap_dup) && TUTTI_FIND(bitmap_set) && TUTTI_FIND(bitmap_zero) &&
         TUTTI_FIND(bitmap_and) && TUTTI_FIND(bitmap_first) && TUTTI_FIND(bitmap_next) &&
         TUTTI_FIND(bitmap_iszero) && TUTTI_FIND(bitmap_isincluded);
#undef TUTTI_FIND
}

}  // namespace

const HwlocLibrary* hwloc_library() {
  static HwlocLibrary library;
  static const bool is_loaded = load(&library);
  return is_loaded ? &library : nullptr;
}

}  // namespace tutti::topology
