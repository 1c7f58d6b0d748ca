#pragma once
// Takes a thread's memory away; link memory_shortage.cpp, which takes the place of operator new.

namespace tutti::test {

/// While this lives, operator new throws std::bad_alloc on this thread, where `is_possible`.
class MemoryShortage {
 public:
  /// False under clang's thread sanitizer: its operator new cannot be replaced in a program.
  static const bool is_possible;

  MemoryShortage();
  ~MemoryShortage();
  MemoryShortage(const MemoryShortage&) = delete;
  MemoryShortage& operator=(const MemoryShortage&) = delete;
};

}  // namespace tutti::test
