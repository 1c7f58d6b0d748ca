#pragma once
// Durations as people write them: "5ms", "0.5us", "20ns", "1s". Pure; any thread.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.hpp"

namespace tutti::arrival {

/// No lateness of a pattern is longer: 1000 s.
inline constexpr uint64_t k_longest_ns = 1'000'000'000'000;

/// Reads a decimal number with its unit (ns, us, ms or s); whole nanoseconds, 0 to k_longest_ns. Error:
/// invalid_argument, one line.
base::Result<uint64_t> parse_duration_ns(std::string_view text);

/// The text that parse_duration_ns() reads back to the same number: 1500000 -> "1.5ms".
std::string format_duration(uint64_t ns);

}  // namespace tutti::arrival
