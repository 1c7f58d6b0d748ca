#pragma once
// How skewed the arrivals at the calls of a site are, from data that all ranks agreed on. Identical on all ranks.

#include <array>
#include <cstdint>

#include "select/arrivals.hpp"
#include "select/round.hpp"

namespace tutti::select {

/// Not thread-safe. Exponential averages over rounds, so that old behaviour is soon forgotten.
class ArrivalProfile {
 public:
  /// Adds the results of a round; `choice` served the calls that tried nothing.
  void add(const Round& round, uint32_t choice, const RoundMeasurements& all, const Arrivals& arrivals);

  /// Whether arrivals are skewed: the spread exceeds half of a call's cost beyond waiting. Calls are then compared by
  /// their cost beyond the wait for late ranks.
  bool is_late() const { return is_late_; }
  /// Whether the spread differs from `spread_ns`, an earlier value of spread_ns(), by more than a factor of four; 0:
  /// false.
  bool is_other_than(uint64_t spread_ns) const {
    return spread_ns != 0 &&
           (spread_ns_ / k_other_times > spread_ns || spread_ns / k_other_times > spread_ns_);
  }

  /// From the first arrival to the last; 0: unknown.
  uint64_t spread_ns() const { return spread_ns_; }
  /// Mean cost of a call on the slowest rank beyond the unavoidable wait.
  uint64_t beyond_ns() const { return beyond_ns_; }
  /// The rank that most often arrived last, and its share of the calls. `percent` 0: unknown.
  struct Last {
    uint32_t rank = 0;
    uint32_t percent = 0;
  };
  Last usually_last() const;

 private:
  static constexpr uint64_t k_other_times = 4;
  /// Weight of a rank that arrived last; it fades over rounds. A new rank replaces the one with the least weight.
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
