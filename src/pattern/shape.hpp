#pragma once
// Integer functions that several patterns share.

#include <cstdint>

namespace tutti::pattern {

/// A rank, or its position in a tree, ring or chain.
using Rank = int32_t;

/// ⌈log_radix(n)⌉ for n >= 1, radix >= 2: the smallest s with radix^s >= n.
constexpr uint32_t ceil_log(uint64_t n, uint64_t radix) {
  uint32_t steps = 0;
  // Dividing n with rounding up cannot overflow; multiplying a power of radix could.
  for (; n > 1; ++steps) n = n / radix + (n % radix != 0);
  return steps;
}

constexpr bool is_power_of_two(uint64_t n) {
  return n != 0 && (n & (n - 1)) == 0;
}

/// The largest power of two that does not exceed n >= 1.
constexpr uint64_t floor_power_of_two(uint64_t n) {
  uint64_t power = 1;
  while (power <= n / 2) power *= 2;
  return power;
}

}  // namespace tutti::pattern
