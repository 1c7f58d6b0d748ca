#include "tests/support/memory_shortage.hpp"

#include <cstdlib>
#include <new>

#include "tests/support/sanitizer.hpp"

// True for clang, which links its operator new into the program. That of gcc is in a library and can be replaced.
#define TUTTI_TEST_KEEPS_NEW (TUTTI_TEST_HAS(thread_sanitizer))

namespace {

thread_local bool is_memory_short = false;

}  // namespace

namespace tutti::test {

#if TUTTI_TEST_KEEPS_NEW
const bool MemoryShortage::is_possible = false;
#else
const bool MemoryShortage::is_possible = true;
#endif

MemoryShortage::MemoryShortage() {
  is_memory_short = true;
}

MemoryShortage::~MemoryShortage() {
  is_memory_short = false;
}

}  // namespace tutti::test

#if !TUTTI_TEST_KEEPS_NEW

// Not inlined: the compiler would see free() for what comes from new. All that delete may get comes from here: the
// address sanitizer's own new does not go together with free().
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return is_memory_short ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
}

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const memory = operator new(bytes, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}

[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

#endif
