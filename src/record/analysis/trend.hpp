#pragma once
// Sum over the calls of a run, kept in parts, so that its trend is known although the number of calls is not known
// before the end.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace tutti::record::analysis {

class Trend {
 public:
  void add(double value) {
    if (calls_ == k_parts * calls_per_part_) make_room();
    sums_[calls_++ / calls_per_part_] += value;
  }
  uint64_t calls() const { return calls_; }
  double sum() const {
    double all = 0;
    for (const double part : sums_) all += part;
    return all;
  }
  /// Mean over the calls of the first, second or last third; a third is exact to one part in k_parts / 2.
  double mean_of_third(size_t third) const {
    const size_t parts = (calls_ + calls_per_part_ - 1) / calls_per_part_;
    const size_t from = third * parts / 3, to = (third + 1) * parts / 3;
    double sum = 0;
    for (size_t part = from; part < to; ++part) sum += sums_[part];
    const uint64_t calls = std::min(to * calls_per_part_, calls_) - std::min(from * calls_per_part_, calls_);
    return calls == 0 ? 0 : sum / static_cast<double>(calls);
  }

 private:
  static constexpr size_t k_parts = 48;

  /// Merges pairs of parts.
  void make_room() {
    for (size_t part = 0; part < k_parts; ++part) {
      const double sum = sums_[part];
      sums_[part] = 0;
      sums_[part / 2] += sum;
    }
    calls_per_part_ *= 2;
  }

  std::array<double, k_parts> sums_{};
  uint64_t calls_ = 0, calls_per_part_ = 1;
};

}  // namespace tutti::record::analysis
