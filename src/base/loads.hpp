#pragma once
// The objects that the dynamic linker has loaded.

#include <dlfcn.h>
#include <link.h>

#include <cstdint>

namespace tutti::base {

/// Calls dl_iterate_phdr() of the C library; a program may define another function of that name. Any thread. `look`
/// returns 0 to continue; its last result is returned.
inline int for_each_object(int (*look)(dl_phdr_info* object, size_t size, void* data), void* data) {
  static auto* const next = reinterpret_cast<decltype(&dl_iterate_phdr)>(dlsym(RTLD_NEXT, "dl_iterate_phdr"));
  return next != nullptr ? next(look, data) : 0;
}

/// Number of objects loaded so far, by the loader's own count. Any thread.
inline uint64_t count_of_loads() {
  unsigned long long count = 0;
  for_each_object(
      [](dl_phdr_info* object, size_t, void* data) {
        *static_cast<unsigned long long*>(data) = object->dlpi_adds;
        return 1;
      },
      &count);
  return count;
}

}  // namespace tutti::base
