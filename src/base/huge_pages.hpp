#pragma once
// Memory for large tables with random access: huge pages reduce TLB misses.

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <type_traits>

namespace tutti::base {

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }  // NOLINT(cppcoreguidelines-no-malloc)
};

template <class T>
using HugeArray = std::unique_ptr<T[], FreeMemory>;

/// Allocates at least one byte, aligned for any type, uninitialised. Uses huge pages if the size is at least one and
/// the system provides them. Throws std::bad_alloc.
void* allocate_on_huge_pages(size_t bytes);

/// `count` uninitialised elements of a type without constructor.
template <class T>
HugeArray<T> huge_array(size_t count) {
  static_assert(std::is_trivially_default_constructible_v<T> && std::is_trivially_destructible_v<T>);
  return HugeArray<T>(static_cast<T*>(allocate_on_huge_pages(count * sizeof(T))));
}

}  // namespace tutti::base
