#pragma once
// Numbers that depend only on their seed, so that all ranks draw the same ones.

#include <cstddef>
#include <cstdint>
#include <utility>

namespace torture {

/// One number from two. Not commutative; a small change of either changes all bits.
inline uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9E3779B97F4A7C15U + b + 0x632BE59BD9B4E019U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

class Random {
 public:
  explicit Random(uint64_t seed) : state_(mix(seed, 1)) {}

  uint64_t next() { return mix(state_ += 0x9E3779B97F4A7C15U, 2); }
  /// A number from 0 to count - 1. `count` is positive.
  int below(int count) { return static_cast<int>(next() % static_cast<uint64_t>(count)); }
  int between(int first, int last) { return first + below(last - first + 1); }
  bool percent(int share) { return below(100) < share; }

  template <typename Range>
  const auto& one_of(const Range& values) {
    return values[static_cast<size_t>(below(static_cast<int>(values.size())))];
  }

  template <typename Range>
  void shuffle(Range& range) {
    for (size_t left = range.size(); left > 1; --left)
      std::swap(range[left - 1], range[static_cast<size_t>(below(static_cast<int>(left)))]);
  }

 private:
  uint64_t state_;
};

}  // namespace torture
