#pragma once
// Programs and libraries as mapped by the loader.

#include <link.h>

#include <cstdint>

namespace tutti::actors {

/// Pointer to the object at an address that is given as a number.
template <class T>
T* at_address(uintptr_t address) {
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// Terminated by DT_NULL; nullptr: there is none.
inline const Elf64_Dyn* dynamic_section(const dl_phdr_info& object) {
  for (int i = 0; i < object.dlpi_phnum; ++i)
    if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
      return at_address<const Elf64_Dyn>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
  return nullptr;
}

}  // namespace tutti::actors
