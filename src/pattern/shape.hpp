#pragma once
// Small integer maths that many patterns share.

#include <cstdint>

namespace tutti::pattern {

/// ⌈log_radix(n)⌉ for n >= 1, radix >= 2: the least s with radix^s >= n.
constexpr uint32_t ceil_log(uint64_t n, uint64_t radix) {
  uint32_t steps = 0;
  // Dividing n up, instead of multiplying the reach up, cannot overflow.
  for (; n > 1; ++steps) n = n / radix + (n % radix != 0);
  return steps;
}

constexpr bool is_power_of_two(uint64_t n) { return n != 0 && (n & (n - 1)) == 0; }

}  // namespace tutti::pattern
