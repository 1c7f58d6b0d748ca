#pragma once
// How a candidate stands, by what all ranks agreed on: costs of the slowest rank, or of all ranks together,
// as ratios to the running choice in the same round, so that what slows everything down for a while does not
// count for or against anybody. Whole numbers only: every rank computes the same bits.

#include <array>
#include <cstddef>
#include <cstdint>

namespace tutti::select {

/// A ratio with 20 binary places.
using Ratio = uint64_t;
inline constexpr Ratio k_one = Ratio{1} << 20;
inline constexpr Ratio k_most_ratio = Ratio{1} << 36;  // 65,536 times

/// value / reference, at most k_most_ratio; reference 0 counts as 1.
Ratio ratio_of(uint64_t value, uint64_t reference);
/// amount * ratio, at most 2^62. amount below 2^44.
uint64_t scaled(uint64_t amount, Ratio ratio);

/// The p-th of n parts of a sorted sample: quantile(values, n, 2, 4) is the median. Reorders `values`.
uint64_t quantile(uint64_t* values, size_t count, size_t part, size_t parts);

/// The statistic used for a set of samples: median or mean. Reorders `values`.
uint64_t typical(uint64_t* values, size_t count, bool by_mean);

class CandidateStats {
 public:
  static constexpr size_t k_kept = 32;

  /// `by_mean`: trials differ by their nature, so that the mean stands for them, and not the median.
  explicit CandidateStats(bool by_mean = false) : is_by_mean_(by_mean) {}

  /// A counted trial.
  void add(Ratio ratio);
  /// A call that only warms up, or that is too old: says what the next one may cost, and nothing else.
  void expect(Ratio ratio);
  /// Another choice runs now, whose ratio to the old one was `unit`.
  void rebase(Ratio unit);
  /// Forgets the trials; what was known becomes what is expected.
  void reopen();
  /// Forgets all, and how trials are summed up from now on.
  void begin_anew(bool by_mean) { *this = CandidateStats(by_mean); }

  size_t count() const { return kept_ < k_kept ? kept_ : k_kept; }
  bool is_known() const { return count() > 0 || has_expectation_; }
  /// Of the trials kept; the lower of two. At least one trial.
  Ratio typical() const;
  /// Of a mean, its standard error.
  Ratio error() const;
  Ratio lower_quartile() const { return at(1); }
  Ratio upper_quartile() const { return at(3); }
  Ratio largest() const { return at(4); }
  /// What the next call may cost: what is typical, or the expectation, or else `otherwise`.
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
