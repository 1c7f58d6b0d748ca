#pragma once
// Partition of a message into segments that are sent in order.

#include <algorithm>
#include <cstdint>

namespace tutti::pattern {

/// Bytes [0, bytes) in segments of segment_bytes (>= 1); the last one may be shorter.
struct Segments {
  uint64_t bytes = 0;
  uint64_t segment_bytes = 1;

  /// Segments that cut no element: segment_bytes is rounded down to whole elements, but to at least one.
  static constexpr Segments of_elements(uint64_t bytes, uint64_t segment_bytes, uint64_t element_bytes) {
    return {bytes, std::max<uint64_t>(1, segment_bytes / element_bytes) * element_bytes};
  }

  constexpr uint64_t count() const { return bytes / segment_bytes + (bytes % segment_bytes != 0); }
  constexpr uint64_t offset(uint64_t i) const { return i * segment_bytes; }
  constexpr uint64_t length(uint64_t i) const { return std::min(segment_bytes, bytes - offset(i)); }
  constexpr uint64_t longest() const { return std::min(segment_bytes, bytes); }
};

}  // namespace tutti::pattern
