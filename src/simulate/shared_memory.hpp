#pragma once
// Memory bandwidth of a node shared by concurrent copies: each is at most as fast as a single copy, and all together
// are at most as fast as the memory.

#include <cstdint>
#include <optional>
#include <vector>

namespace tutti::simulate {

/// Times in picoseconds, which must not decrease. All pending copies progress at the same rate.
class SharedMemory {
 public:
  /// Femtoseconds per byte, of a single copy and of all copies together.
  SharedMemory(uint64_t copy_fs, uint64_t shared_fs) : copy_fs_(copy_fs), shared_fs_(shared_fs) {}

  void start(uint64_t now, uint32_t who, uint64_t bytes);
  /// End of the next copy if no other one starts; nullopt: no copy is pending.
  std::optional<uint64_t> next_end() const;
  /// Appends the owners of the copies that have ended by `now`, in the order of their ends, then of their starts.
  void take_ended(uint64_t now, std::vector<uint32_t>& whose);

 private:
  struct Copy {
    uint32_t who;
    uint64_t end;  // value of progress_
  };
  void advance(uint64_t now);
  uint64_t fs_per_byte() const;

  uint64_t copy_fs_, shared_fs_;
  uint64_t now_ = 0;
  uint64_t progress_ = 0;     // bytes per copy since the beginning, in units of 1 / k_parts
  std::vector<Copy> copies_;  // sorted by end
};

}  // namespace tutti::simulate
