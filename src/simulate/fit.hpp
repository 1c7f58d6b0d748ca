#pragma once
// Fits the parameters of a machine, so that simulated times match measured ones.

#include <functional>
#include <vector>

#include "simulate/executor.hpp"
#include "simulate/machine.hpp"
#include "simulate/measurements.hpp"

namespace tutti::simulate {

struct Fit {
  Machine machine;
  std::vector<double> ratios;  // simulated / measured time of each call; 0: the algorithm does not apply
  double median_error = 0;     // median of |ratio - 1|
  double ninth_error = 0;      // 90th percentile of |ratio - 1|
  size_t fitted = 0;           // number of machine parameters that were varied
  /// Whether there are at least twice as many simulated calls as parameters. With fewer, a good fit is no evidence.
  bool is_telling() const;
};

/// Varies the times of `start` one by one, in decreasing steps, while the mean of |log(ratio)| over all calls
/// decreases. Topology, thresholds and window stay. `report` is called with the number of simulations of all calls so
/// far. Error: invalid_argument if no call can be simulated; otherwise as measure().
base::Result<Fit> fit(const Measurements& measurements, const Machine& start,
                      const std::function<void(uint64_t)>& report, const AskToStop& stops = {});

}  // namespace tutti::simulate
