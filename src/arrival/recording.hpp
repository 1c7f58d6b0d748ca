#pragma once
// Measured lateness in a text file: a line per call with the microseconds by which each rank arrives after the first,
// in the order of ranks. Text after '#' is a comment; lines without a number are ignored. Pure; any thread.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"

namespace tutti::arrival {

/// Maximum number of values in a file, over all calls and ranks.
inline constexpr uint64_t k_most_recorded = 1U << 22;
/// Maximum size of a file.
inline constexpr uint64_t k_most_recording_bytes = 64U << 20;

struct Recording {
  std::string name;  // of its file
  uint32_t ranks = 0;
  std::vector<uint64_t> lateness_ns;  // [call * ranks + rank]; at least one call, each at most k_longest_ns

  uint64_t calls() const { return lateness_ns.size() / ranks; }
  /// The calls repeat cyclically.
  uint64_t at(uint32_t call, uint32_t rank) const { return lateness_ns[call % calls() * ranks + rank]; }
};

/// Error: invalid_argument, "NAME:LINE: what is wrong"; "NAME: …" for errors without a line.
base::Result<Recording> parse_recording(std::string_view text, const std::string& name);

}  // namespace tutti::arrival
