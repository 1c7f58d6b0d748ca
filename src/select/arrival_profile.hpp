#pragma once
// How differently the ranks come to the calls of a site, by what all of them agreed on. The same on all ranks.

#include <array>
#include <cstdint>

#include "select/arrivals.hpp"
#include "select/round.hpp"

namespace tutti::select {

/// Used by one thread at a time. Exponential averages over rounds: what a program no longer does is soon forgotten.
class ArrivalProfile {
 public:
  /// What a round said; `choice` served its calls when nothing was tried.
  void add(const Round& round, uint32_t choice, const Contribution& all, const Arrivals& arrivals);

  /// The ranks come at times that differ by more than half of what a call takes: calls are compared by what they cost
  /// beyond the waiting for those who are late.
  bool is_late() const { return is_late_; }
  /// The ranks come at quite other times than when spread_ns() was this; 0: false.
  bool is_other_than(uint64_t spread_ns) const {
    return spread_ns != 0 &&
           (spread_ns_ / k_other_times > spread_ns || spread_ns / k_other_times > spread_ns_);
  }

  /// From the first arrival to the last; 0: nothing is known.
  uint64_t spread_ns() const { return spread_ns_; }
  /// What a call costs the slowest rank, in the mean, beyond the waiting that nobody can avoid.
  uint64_t beyond_ns() const { return beyond_ns_; }
  /// Who came last most often, and in how many percent of the calls. `percent` 0: nobody knows.
  struct Last {
    uint32_t rank = 0;
    uint32_t percent = 0;
  };
  Last usually_last() const;

 private:
  static constexpr uint64_t k_other_times = 4;
  /// Of those who came last, with a weight that fades; the lightest one makes room for a new one.
  struct Weight {
    uint32_t rank = 0;
    uint32_t weight = 0;
  };
  void count_last(uint32_t rank);
  void fade();

  uint64_t spread_ns_ = 0, beyond_ns_ = 0;
  bool is_known_ = false, is_late_ = false;
  std::array<Weight, 8> last_{};
  uint32_t counted_ = 0;  // weight of all
};

}  // namespace tutti::select
