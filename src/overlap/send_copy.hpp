#pragma once
// Copies of send buffers, from which messages are sent while the program may already overwrite the buffers (paper 002,
// section 5.1.2).

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.hpp"
#include "overlap/guard/guard.hpp"

namespace tutti::overlap {

/// Copy of some parts of a buffer, at their offsets. Memory blocks are reused, because page faults on fresh pages cost
/// several times the copy.
class SendCopy {
 public:
  SendCopy() = default;
  SendCopy(SendCopy&& other) noexcept;
  SendCopy& operator=(SendCopy&& other) noexcept;
  SendCopy(const SendCopy&) = delete;
  SendCopy& operator=(const SendCopy&) = delete;
  /// Any thread.
  ~SendCopy();

  /// `bytes`: size of the whole buffer. Error: out_of_memory.
  static base::Result<SendCopy> of(const std::byte* buffer, uint64_t bytes,
                                   std::span<const guard::Part> parts);

  std::byte* data() const { return data_; }

 private:
  SendCopy(std::byte* data, uint64_t block_bytes) : data_(data), block_bytes_(block_bytes) {}

  std::byte* data_ = nullptr;
  uint64_t block_bytes_ = 0;
};

}  // namespace tutti::overlap
