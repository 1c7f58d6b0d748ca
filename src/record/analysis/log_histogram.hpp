#pragma once
// Histogram of durations with logarithmic classes, eight per octave.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace tutti::record::analysis {

class LogHistogram {
 public:
  void add(uint64_t ns) {
    ++counts_[class_of(ns)];
    ++total_;
    most_ = std::max(most_, ns);
  }
  uint64_t total() const { return total_; }
  /// Quantile: `part` of all durations are at most this. Upper end of its class: at most 12.5 % too high from 16 ns on.
  /// 0: no durations.
  /// durations.
  uint64_t quantile(double part) const {
    const auto wanted = static_cast<uint64_t>(std::ceil(part * static_cast<double>(total_)));
    uint64_t below = 0;
    for (size_t i = 0; i < k_classes; ++i) {
      below += counts_[i];
      if (below >= wanted && below > 0) return std::min(upper_end(i), most_);
    }
    return 0;
  }
  /// Calls visit(from_ns, to_ns, count) for each octave from the first to the last non-empty one.
  template <class Visit>
  void octaves(Visit visit) const {
    size_t first = k_classes, last = 0;
    for (size_t i = 0; i < k_classes; ++i)
      if (counts_[i] > 0) {
        first = std::min(first, i / k_steps);
        last = i / k_steps;
      }
    for (size_t octave = first; octave <= last && first < k_classes; ++octave) {
      uint64_t count = 0;
      for (size_t step = 0; step < k_steps; ++step) count += counts_[octave * k_steps + step];
      visit(octave == 0 ? 0 : upper_end(octave * k_steps - 1), upper_end(octave * k_steps + k_steps - 1),
            count);
    }
  }

 private:
  static constexpr size_t k_steps = 8, k_classes = k_steps * 50;  // up to 13 days

  static size_t class_of(uint64_t ns) {
    if (ns < 2 * k_steps) return ns / 2;  // the first octave: two nanoseconds each
    const auto octave = static_cast<size_t>(std::bit_width(ns)) - 4;
    const size_t step = (ns >> octave) - k_steps;
    return std::min(octave * k_steps + step, k_classes - 1);
  }
  static uint64_t upper_end(size_t index) {
    if (index < k_steps) return 2 * index + 1;
    return ((k_steps + index % k_steps + 1) << (index / k_steps)) - 1;
  }

  std::array<uint32_t, k_classes> counts_{};
  uint64_t total_ = 0;
  uint64_t most_ = 0;
};

}  // namespace tutti::record::analysis
