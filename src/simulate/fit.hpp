#pragma once
// The machine that was measured: parameters with which the simulator takes the time that calls took.

#include <functional>
#include <vector>

#include "simulate/executor.hpp"
#include "simulate/machine.hpp"
#include "simulate/measurements.hpp"

namespace tutti::simulate {

struct Fit {
  Machine machine;
  std::vector<double> ratios;  // simulated by measured time of each call; 0: the algorithm does not apply
  double median_error = 0;     // of |ratio - 1|
  double ninth_error = 0;      // that nine of ten calls keep to
  size_t fitted = 0;           // times of the machine that were changed to come near
  /// There are twice as many calls, at least, as times: fewer can be met by any machine, and errors tell nothing.
  bool is_telling() const;
};

/// Changes the times of `start` one after the other, by steps that become smaller, as long as the mean of the
/// logarithms of all errors becomes smaller. Topology, thresholds and window stay. `report` is told how many
/// simulations of all calls are done. Error: invalid_argument where no call can be simulated; otherwise as measure().
base::Result<Fit> fit(const Measurements& measurements, const Machine& start,
                      const std::function<void(uint64_t)>& report, const AskToStop& stops = {});

}  // namespace tutti::simulate
