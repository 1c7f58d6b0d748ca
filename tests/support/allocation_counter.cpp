#include "tests/support/allocation_counter.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "tests/support/sanitizer.hpp"

// A sanitizer brings its own malloc.
#define TUTTI_OWN_MALLOC (!TUTTI_TEST_THREAD_SANITIZER && !TUTTI_TEST_ADDRESS_SANITIZER)

namespace {
std::atomic<size_t> allocation_count{0};
}

#if TUTTI_OWN_MALLOC
// glibc's allocator under its internal names; free() stays as it is.
extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* old, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

__attribute__((visibility("default"))) void* malloc(size_t bytes) {
  ++allocation_count;
  return __libc_malloc(bytes);
}
__attribute__((visibility("default"))) void* calloc(size_t count, size_t bytes) {
  ++allocation_count;
  return __libc_calloc(count, bytes);
}
__attribute__((visibility("default"))) void* realloc(void* old, size_t bytes) {
  ++allocation_count;
  return __libc_realloc(old, bytes);
}
__attribute__((visibility("default"))) void* aligned_alloc(size_t alignment, size_t bytes) {
  ++allocation_count;
  return __libc_memalign(alignment, bytes);
}
__attribute__((visibility("default"))) int posix_memalign(void** result, size_t alignment, size_t bytes) {
  ++allocation_count;
  *result = __libc_memalign(alignment, bytes);
  return *result == nullptr ? ENOMEM : 0;
}
}
#endif

namespace tutti::test {

AllocationCounter::AllocationCounter() : before_(allocation_count) {}
size_t AllocationCounter::count() const {
  return allocation_count - before_;
}
bool AllocationCounter::is_available() {
  return TUTTI_OWN_MALLOC != 0;
}

}  // namespace tutti::test
