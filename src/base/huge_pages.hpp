#pragma once
// Memory for large tables that are read all over the place: with huge pages, far fewer reads have to look for
// their page first.

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

/// At least one byte, aligned for any type, uninitialised; on huge pages where there is enough of it for one
/// and the system has them to give. Throws std::bad_alloc.
void* allocate_on_huge_pages(size_t bytes);

/// `count` elements of a type that needs no constructor, with any values.
template <class T>
HugeArray<T> huge_array(size_t count) {
  static_assert(std::is_trivially_default_constructible_v<T> && std::is_trivially_destructible_v<T>);
  return HugeArray<T>(static_cast<T*>(allocate_on_huge_pages(count * sizeof(T))));
}

}  // namespace tutti::base
