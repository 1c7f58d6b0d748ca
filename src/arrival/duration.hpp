#pragma once
// Durations with units in text: "5ms", "0.5us", "20ns", "1s". Pure; any thread.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.hpp"

namespace tutti::arrival {

/// Maximum lateness in a pattern: 1000 s.
inline constexpr uint64_t k_longest_ns = 1'000'000'000'000;

/// Parses a decimal number with a unit (ns, us, ms or s) to integer nanoseconds, 0 to k_longest_ns. Error:
/// invalid_argument, one line.
base::Result<uint64_t> parse_duration_ns(std::string_view text);

/// Text that parse_duration_ns() parses to the same number: 1500000 -> "1.5ms".
std::string format_duration(uint64_t ns);

}  // namespace tutti::arrival
