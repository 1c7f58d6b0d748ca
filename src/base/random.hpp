#pragma once
// Pseudo-random numbers that are the same on every machine, with every standard library and any number of threads.

#include <cstdint>

namespace tutti::base {

/// Hash of its argument (the finaliser of SplitMix64; Steele, Lea, Flood, OOPSLA 2014).
constexpr uint64_t mixed(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

/// The hash of `value` as a number in [0, 1).
constexpr double as_fraction(uint64_t value) {
  return static_cast<double>(mixed(value) >> 11) * 0x1p-53;
}

/// Pseudo-random sequence for a seed.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(mixed(seed)) {}
  uint64_t next() { return mixed(state_++); }
  /// 0 to end - 1; end > 0. The bias is below end / 2^32.
  uint32_t below(uint32_t end) { return static_cast<uint32_t>(((next() >> 32) * end) >> 32); }

 private:
  uint64_t state_;
};

}  // namespace tutti::base
