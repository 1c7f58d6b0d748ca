#pragma once
// Private memory of running operations. Small pieces stay with the operation, so that repeating a small collective
// allocates nothing. Large pieces come from a pool of the process, so that a thousand idle communicators hold none.

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.hpp"

namespace tutti::engine {

/// The most that an operation keeps from one run to the next.
inline constexpr uint64_t k_kept_scratch_bytes = 16 << 10;
/// The most that the process keeps for the next large operation.
inline constexpr uint64_t k_kept_pool_bytes = uint64_t{64} << 20;

/// 64-byte aligned memory of one operation. Used by one thread at a time; different objects by different
/// threads.
class Scratch {
 public:
  Scratch() = default;
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// At least `bytes` of memory with any content. Error: out_of_memory.
  base::Status require(uint64_t bytes);
  /// Gives memory back that is too large to keep.
  void trim();

  std::byte* data() const { return data_; }
  uint64_t capacity_bytes() const { return capacity_bytes_; }

 private:
  void give_back();

  std::byte* data_ = nullptr;
  uint64_t capacity_bytes_ = 0;
};

}  // namespace tutti::engine
