#pragma once
// Chance that is the same on every machine and in whatever order it is asked.

#include <cstdint>

namespace tutti::offload::network {

/// A well mixed function of its argument (the finaliser of SplitMix64; Steele, Lea, Flood 2014).
constexpr uint64_t mixed(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

/// The same as a number in [0, 1).
constexpr double as_fraction(uint64_t value) {
  return static_cast<double>(mixed(value) >> 11) * 0x1p-53;
}

}  // namespace tutti::offload::network
