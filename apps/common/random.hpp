// Random numbers that are a pure function of (seed, i, j).
//
// Any rank can compute any element of the input without communication, for any number of ranks, so the
// sequential check uses the same input as the distributed program.
#pragma once

#include <cstdint>

namespace apps {

// The finalizer of splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

inline std::uint64_t random_bits(std::uint64_t seed, std::uint64_t i, std::uint64_t j) {
  return mix(mix(mix(seed) ^ i) ^ j);
}

// Uniform in [0, 1).
inline double to_unit(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

}  // namespace apps
