#pragma once
// What the dynamic linker has loaded.

#include <link.h>

#include <cstdint>

namespace tutti::base {

/// Libraries that have been loaded so far, by the loader's own count. Any thread.
inline uint64_t count_of_loads() {
  unsigned long long count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* object, size_t, void* data) {
        *static_cast<unsigned long long*>(data) = object->dlpi_adds;
        return 1;
      },
      &count);
  return count;
}

}  // namespace tutti::base
