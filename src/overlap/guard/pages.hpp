#pragma once
// A range of memory pages, the smallest unit that can be protected.

#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace tutti::overlap::guard {

/// A contiguous range of whole pages.
struct Pages {
  std::byte* begin = nullptr;
  uint64_t bytes = 0;

  std::byte* end() const { return begin + bytes; }
  bool is_empty() const { return bytes == 0; }
};

inline uint64_t page_bytes() {
  static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

inline uint64_t number_of(const void* address) {
  return reinterpret_cast<uintptr_t>(address);
}

inline std::byte* page_of(const std::byte* address) {
  return const_cast<std::byte*>(address) - number_of(address) % page_bytes();
}

/// The smallest range of whole pages that contains the memory.
inline Pages pages_around(const std::byte* memory, uint64_t bytes) {
  std::byte* const begin = page_of(memory);
  std::byte* const end = page_of(memory + bytes + page_bytes() - 1);
  return {begin, static_cast<uint64_t>(end - begin)};
}

}  // namespace tutti::overlap::guard
