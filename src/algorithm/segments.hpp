#pragma once
// Cutting messages into segments, alike in every algorithm.

#include <cstdint>
#include <string>

namespace tutti::algorithm {

/// More segments than this cost more to schedule than they gain; a schedule would not be small any more.
inline constexpr uint64_t k_max_segments = 1 << 16;

constexpr uint64_t segment_count(uint64_t bytes, uint64_t segment_bytes) {
  return bytes / segment_bytes + (bytes % segment_bytes != 0);
}

/// The guard that every segmenting algorithm shares.
inline bool segments_fit(uint64_t bytes, uint64_t segment_bytes, std::string* why_not) {
  if (segment_count(bytes, segment_bytes) <= k_max_segments) return true;
  *why_not = "segments of " + std::to_string(segment_bytes) + " bytes are too many for " + std::to_string(bytes) +
             " bytes; use larger ones";
  return false;
}

}  // namespace tutti::algorithm
