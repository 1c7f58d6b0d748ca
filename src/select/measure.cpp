#include "select/measure.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tutti::select {

namespace {

constexpr size_t k_least_for_spread = 3;
// Trials that the least varying candidate must have: three samples can look steady by chance.
constexpr size_t k_enough_for_spread = 6;
constexpr double k_steady = 0.05;
// Standard error of a median, in median absolute deviations of one sample: 1.253 * 1.483 / sqrt(n).
constexpr double k_error_of_median = 1.858;
constexpr double k_sure = 2;

double median_of(std::vector<double> values) {
  const size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(middle), values.end());
  if (values.size() % 2 == 1) return values[middle];
  const double upper = values[middle];
  return (upper + *std::max_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(middle))) / 2;
}

double deviation_of(std::vector<double> values, double median) {
  for (double& value : values) value = std::abs(value - median);
  return median_of(std::move(values));
}

/// Computation times of one candidate's calls.
struct Work {
  std::vector<double> between;
  double median = 0;
  double deviation = 0;
};

std::vector<Work> work_by_candidate(std::span<const Trial> trials) {
  std::vector<Work> all;
  for (const Trial& trial : trials) {
    if (!trial.is_known) continue;
    if (trial.candidate >= all.size()) all.resize(trial.candidate + size_t{1});
    all[trial.candidate].between.push_back(static_cast<double>(trial.sample.between_ns));
  }
  for (Work& work : all) {
    if (work.between.empty()) continue;
    work.median = median_of(work.between);
    work.deviation = deviation_of(work.between, work.median);
  }
  return all;
}

/// Variation of the computation by itself, relative to the time of a whole call.
double variation(std::span<const Work> all, double typical_total) {
  const auto least = [&](size_t enough) {
    double found = -1;
    for (const Work& work : all)
      if (work.between.size() >= enough && (found < 0 || work.deviation < found)) found = work.deviation;
    return found;
  };
  double deviation = least(k_enough_for_spread);
  if (deviation < 0) deviation = least(k_least_for_spread);
  return deviation <= 0 || typical_total <= 0 ? 0 : deviation / typical_total;
}

class Computation {
 public:
  explicit Computation(std::span<const Trial> trials) : by_candidate_(work_by_candidate(trials)) {
    std::vector<double> totals, between;
    for (const Trial& trial : trials) {
      if (!trial.is_known) continue;
      totals.push_back(static_cast<double>(trial.sample.total_ns()));
      between.push_back(static_cast<double>(trial.sample.between_ns));
    }
    if (totals.empty()) return;
    varies_ = variation(by_candidate_, median_of(totals)) > k_steady;
    pooled_median_ = median_of(between);
    pooled_deviation_ = deviation_of(std::move(between), pooled_median_);
  }

  double of(const Trial& trial) const {
    if (!varies_) return static_cast<double>(trial.sample.between_ns);
    const Work& work = by_candidate_[trial.candidate];
    const double chance =
        k_sure * k_error_of_median * pooled_deviation_ / std::sqrt(static_cast<double>(work.between.size()));
    return std::abs(work.median - pooled_median_) > chance ? work.median : pooled_median_;
  }

 private:
  std::vector<Work> by_candidate_;
  bool varies_ = false;
  double pooled_median_ = 0;
  double pooled_deviation_ = 0;
};

}  // namespace

void costs_of(std::span<const Trial> trials, std::span<uint64_t> costs) {
  const Computation computation(trials);
  for (size_t i = 0; i < trials.size(); ++i) {
    const Trial& trial = trials[i];
    if (!trial.is_known) {
      costs[i] = k_unknown_cost;
      continue;
    }
    const double exposed =
        static_cast<double>(trial.sample.start_ns) + static_cast<double>(trial.sample.wait_ns);
    const double cost = exposed + computation.of(trial);
    costs[i] = cost >= static_cast<double>(k_most_cost_ns) ? k_most_cost_ns : static_cast<uint64_t>(cost);
  }
}

}  // namespace tutti::select
