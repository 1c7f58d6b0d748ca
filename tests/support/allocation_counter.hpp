#pragma once
// Counts the allocations of the whole process; link allocation_counter.cpp, which takes malloc's place.

#include <cstddef>

namespace tutti::test {

class AllocationCounter {
 public:
  AllocationCounter();
  /// Calls of malloc, calloc, realloc and the aligned ones since this object was made, by any thread.
  size_t count() const;
  /// False under a sanitizer, which brings its own malloc.
  static bool is_available();

 private:
  size_t before_;
};

}  // namespace tutti::test
