#pragma once
// Division of messages into segments, as all algorithms use it.

#include <cstdint>
#include <string>

namespace tutti::algorithm {

/// Limit of the number of segments: more cost more to schedule than they gain, and would make schedules large.
inline constexpr uint64_t k_max_segments = 1 << 16;

constexpr uint64_t segment_count(uint64_t bytes, uint64_t segment) {
  return bytes / segment + (bytes % segment != 0);
}

/// The segment length in use: whole elements, at least one, at most the message. One element if the message is empty,
/// because memory is sized by this length.
constexpr uint64_t segment_bytes(uint64_t bytes, uint64_t wanted, uint64_t element_bytes = 1) {
  const uint64_t whole = wanted < element_bytes ? element_bytes : wanted / element_bytes * element_bytes;
  return bytes == 0 ? element_bytes : (whole < bytes ? whole : bytes);
}

/// The check that all algorithms with segments share.
inline bool segments_fit(uint64_t bytes, uint64_t segment, std::string* why_not) {
  if (segment_count(bytes, segment) <= k_max_segments) return true;
  *why_not = "segments of " + std::to_string(segment) + " bytes are too many for " + std::to_string(bytes) +
             " bytes; use larger ones";
  return false;
}

}  // namespace tutti::algorithm
