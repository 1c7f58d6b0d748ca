#pragma once
// Lateness that was measured, in a file of text: a line for each call, in it the microseconds that each rank
// comes after the first, rank by rank. What stands after '#' is a comment; lines without a number do not
// count. Pure; any thread.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"

namespace tutti::arrival {

/// Most numbers in a file, over all calls and ranks.
inline constexpr uint64_t k_most_recorded = 1U << 22;
/// Most bytes of a file.
inline constexpr uint64_t k_most_recording_bytes = 64U << 20;

struct Recording {
  std::string name;  // of its file
  uint32_t ranks = 0;
  std::vector<uint64_t> lateness_ns;  // [call * ranks + rank]; at least one call, each at most k_longest_ns

  uint64_t calls() const { return lateness_ns.size() / ranks; }
  /// After the last call the first one comes again.
  uint64_t at(uint32_t call, uint32_t rank) const { return lateness_ns[call % calls() * ranks + rank]; }
};

/// Error: invalid_argument, "NAME:LINE: what is wrong"; where no line is, "NAME: …".
base::Result<Recording> parse_recording(std::string_view text, const std::string& name);

}  // namespace tutti::arrival
