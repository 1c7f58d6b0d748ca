#pragma once
// Times of one machine on the clock that all ranks have in common.

#include <cstdint>
#include <span>
#include <vector>

#include "record/rank_file.hpp"

namespace tutti::record {

/// Between two comparisons the clocks are taken to drift apart evenly (Hunold and Carpen-Amarie, HCA3, as linear
/// models); before the first and after the last one by what bad clocks do. Pure; any thread.
class ClockModel {
 public:
  /// What a clock's rate may wander around the straight line between two comparisons.
  static constexpr uint64_t k_wander_per_million = 1;
  /// How far apart two clocks may drift where there is one comparison.
  static constexpr uint64_t k_drift_per_million = 50;

  ClockModel() = default;
  /// `samples` of one machine, in the order of time. None: the clock is its own, and its error unknown.
  /// `is_reference`: the machine whose clock is the common one.
  ClockModel(std::span<const ClockSample> samples, bool is_reference);

  int64_t at(uint64_t machine_ns) const;
  /// The largest error at this time; k_unknown_ns: unknown.
  uint64_t error_ns(uint64_t machine_ns) const;

 private:
  std::vector<ClockSample> samples_;
  bool is_reference_ = false;
};

}  // namespace tutti::record
