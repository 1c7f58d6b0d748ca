#pragma once
// Statistics of one candidate, from costs that all ranks agreed on: those of the slowest rank, or the sum over ranks.
// They are ratios to the running choice in the same round, so that a temporary slowdown of the machine affects no
// candidate. Integers only, so that every rank computes the same bits.

#include <array>
#include <cstddef>
#include <cstdint>

namespace tutti::select {

/// Ratio in fixed point with 20 fractional bits.
using Ratio = uint64_t;
inline constexpr Ratio k_one = Ratio{1} << 20;
inline constexpr Ratio k_most_ratio = Ratio{1} << 36;  // 65,536 times

/// value / reference, at most k_most_ratio; reference 0 counts as 1.
Ratio ratio_of(uint64_t value, uint64_t reference);
/// amount * ratio, at most 2^62. amount below 2^44.
uint64_t scaled(uint64_t amount, Ratio ratio);

/// The value at part / parts of the sorted sample: quantile(values, n, 2, 4) is the median. Reorders `values`.
uint64_t quantile(uint64_t* values, size_t count, size_t part, size_t parts);

/// The statistic used for a set of samples: median or mean. Reorders `values`.
uint64_t typical(uint64_t* values, size_t count, bool by_mean);

class CandidateStats {
 public:
  static constexpr size_t k_kept = 32;

  /// `by_mean`: the costs of trials differ systematically, so that the mean is used instead of the median.
  explicit CandidateStats(bool by_mean = false) : is_by_mean_(by_mean) {}

  /// Adds a counted trial.
  void add(Ratio ratio);
  /// Sets the expected cost of the next call, from a warm-up or an old trial, which does not count.
  void expect(Ratio ratio);
  /// The running choice has changed; `unit`: the new one's ratio to the old one.
  void rebase(Ratio unit);
  /// Removes the trials; their typical value becomes the expectation.
  void reopen();
  /// Removes everything, and sets how trials are summarised from now on.
  void restart(bool by_mean) { *this = CandidateStats(by_mean); }

  size_t count() const { return kept_ < k_kept ? kept_ : k_kept; }
  bool is_known() const { return count() > 0 || has_expectation_; }
  /// Median or mean of the kept trials, of which there must be one; the median of two is the lower one.
  Ratio typical() const;
  /// Standard error of the mean.
  Ratio error() const;
  Ratio lower_quartile() const { return at(1); }
  Ratio upper_quartile() const { return at(3); }
  Ratio largest() const { return at(4); }
  /// Expected cost of the next call: the typical one, or the expectation, or `otherwise` without either.
  Ratio expected(Ratio otherwise) const;

  bool is_dropped = false;

 private:
  Ratio at(size_t quarter) const;

  std::array<Ratio, k_kept> ratios_{};  // ring
  size_t kept_ = 0;                     // since the last reopen()
  Ratio expectation_ = 0;
  bool has_expectation_ = false;
  bool is_by_mean_;
};

}  // namespace tutti::select
