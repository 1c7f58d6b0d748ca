#pragma once
// The memory of a node while several processes copy: each as fast as a copy alone, and all together no faster than the
// memory.

#include <cstdint>
#include <optional>
#include <vector>

namespace tutti::simulate {

/// Times in picoseconds, which never go back. All copies under way advance alike.
class SharedMemory {
 public:
  /// Femtoseconds per byte, of one copy alone and of all together.
  SharedMemory(uint64_t copy_fs, uint64_t shared_fs) : copy_fs_(copy_fs), shared_fs_(shared_fs) {}

  void start(uint64_t now, uint32_t who, uint64_t bytes);
  /// When the next copy ends, if nothing else starts; nothing where none is under way.
  std::optional<uint64_t> next_end() const;
  /// Whose copies have ended by `now`, in the order of their end, and of their start where that is the same.
  void take_ended(uint64_t now, std::vector<uint32_t>& whose);

 private:
  struct Copy {
    uint32_t who;
    uint64_t end;  // in progress_
  };
  void advance(uint64_t now);
  uint64_t fs_per_byte() const;

  uint64_t copy_fs_, shared_fs_;
  uint64_t now_ = 0;
  uint64_t progress_ = 0;     // of each copy since the beginning, in parts of a byte
  std::vector<Copy> copies_;  // by end
};

}  // namespace tutti::simulate
