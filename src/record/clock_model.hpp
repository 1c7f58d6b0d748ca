#pragma once
// Converts times of one machine's clock to the common clock of all ranks.

#include <cstdint>
#include <span>
#include <vector>

#include "record/rank_file.hpp"

namespace tutti::record {

/// Between two comparisons the offset is interpolated linearly (Hunold and Carpen-Amarie, HCA3, linear models). Before
/// the first and after the last one the nearest offset is used, with the drift of bad clocks as error. Pure; any
/// thread.
class ClockModel {
 public:
  /// Assumed deviation of a clock's rate from the straight line between two comparisons.
  static constexpr uint64_t k_wander_per_million = 1;
  /// Assumed drift between two clocks outside the interval of the comparisons.
  static constexpr uint64_t k_drift_per_million = 50;

  ClockModel() = default;
  /// `samples` of one machine. None: the machine's clock is used unchanged, and its error is unknown. `is_reference`:
  /// the machine's clock is the common one.
  ClockModel(std::span<const ClockSample> samples, bool is_reference);

  int64_t at(uint64_t machine_ns) const;
  /// Upper bound of the error at this time; k_unknown_ns: unknown.
  uint64_t error_ns(uint64_t machine_ns) const;

 private:
  std::vector<ClockSample> samples_;
  bool is_reference_ = false;
};

}  // namespace tutti::record
