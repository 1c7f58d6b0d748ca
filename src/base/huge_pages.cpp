#include "base/huge_pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace tutti::base {

void* allocate_on_huge_pages(size_t bytes) {
  constexpr size_t k_huge_page = size_t{2} << 20;  // size on x86, and on Arm with pages of 4 KiB
  constexpr size_t k_cache_line = 64;
  const size_t alignment = bytes < k_huge_page ? k_cache_line : k_huge_page;
  const size_t rounded = (std::max<size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  // Fails on a system without huge pages; then normal pages are used.
  if (alignment == k_huge_page) static_cast<void>(madvise(memory, rounded, MADV_HUGEPAGE));
  return memory;
}

}  // namespace tutti::base
