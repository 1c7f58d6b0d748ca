#pragma once
// Private memory of running operations. Small pieces stay with the operation, so that repeating a small
// collective allocates nothing. Large pieces come from a pool of the process, so that idle communicators hold
// none.

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.hpp"

namespace tutti::engine {

/// Maximum that an operation keeps between runs.
inline constexpr uint64_t k_kept_scratch_bytes = 16 << 10;
/// Maximum that the process keeps for later large operations.
inline constexpr uint64_t k_kept_pool_bytes = uint64_t{64} << 20;

/// 64-byte aligned memory of one operation. Each object is used by one thread at a time.
class Scratch {
 public:
  Scratch() = default;
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// Provides at least `bytes` of uninitialised memory. Error: out_of_memory.
  base::Status require(uint64_t bytes);
  /// Returns memory to the pool that is too large to keep.
  void trim();

  std::byte* data() const { return data_; }
  uint64_t capacity_bytes() const { return capacity_bytes_; }

 private:
  void give_back();

  std::byte* data_ = nullptr;
  uint64_t capacity_bytes_ = 0;
};

}  // namespace tutti::engine
