#include "select/candidate_stats.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tutti::select {

Ratio ratio_of(uint64_t value, uint64_t reference) {
  const auto ratio = (static_cast<unsigned __int128>(value) << 20) / std::max<uint64_t>(reference, 1);
  return static_cast<Ratio>(std::min<unsigned __int128>(ratio, k_most_ratio));
}

uint64_t scaled(uint64_t amount, Ratio ratio) {
  const auto product = (static_cast<unsigned __int128>(amount) * ratio) >> 20;
  return static_cast<uint64_t>(std::min<unsigned __int128>(product, uint64_t{1} << 62));
}

uint64_t quantile(uint64_t* values, size_t count, size_t part, size_t parts) {
  std::sort(values, values + count);
  const size_t twice = 2 * (count - 1) * part;  // position in units of 1 / (2 * parts)
  const size_t below = twice / (2 * parts);
  if (twice % (2 * parts) == 0) return values[below];
  // Between two samples: the middle, unless the upper one may be an outlier.
  if (count == 2 || values[below + 1] / 2 > values[below]) return values[below];
  return values[below] + (values[below + 1] - values[below]) / 2;
}

uint64_t typical(uint64_t* values, size_t count, bool by_mean) {
  return by_mean ? std::accumulate(values, values + count, uint64_t{0}) / count
                 : quantile(values, count, 2, 4);
}

void CandidateStats::add(Ratio ratio) {
  ratios_[kept_ % k_kept] = ratio;
  ++kept_;
  has_expectation_ = false;
}

void CandidateStats::expect(Ratio ratio) {
  expectation_ = ratio;
  has_expectation_ = true;
}

void CandidateStats::rebase(Ratio unit) {
  const auto rebased = [&](Ratio ratio) { return ratio_of(ratio, unit); };
  std::transform(ratios_.begin(), ratios_.begin() + static_cast<ptrdiff_t>(count()), ratios_.begin(),
                 rebased);
  expectation_ = rebased(expectation_);
}

void CandidateStats::reopen() {
  if (count() > 0) expect(typical());
  kept_ = 0;
  is_dropped = false;
}

Ratio CandidateStats::at(size_t quarter) const {
  std::array<Ratio, k_kept> copy = ratios_;
  return quantile(copy.data(), count(), quarter, 4);
}

Ratio CandidateStats::typical() const {
  std::array<Ratio, k_kept> copy = ratios_;
  return select::typical(copy.data(), count(), is_by_mean_);
}

/// An IEEE square root is correctly rounded, so it has the same bits on all ranks.
Ratio CandidateStats::error() const {
  const size_t n = count();
  if (n < 2) return k_most_ratio;
  const Ratio mean = typical();
  double squares = 0;
  for (size_t i = 0; i < n; ++i) {
    const double difference = static_cast<double>(ratios_[i]) - static_cast<double>(mean);
    squares += difference * difference;
  }
  return static_cast<Ratio>(std::sqrt(squares / static_cast<double>(n * (n - 1))));
}

Ratio CandidateStats::expected(Ratio otherwise) const {
  if (count() > 0) return typical();
  return has_expectation_ ? expectation_ : otherwise;
}

}  // namespace tutti::select
