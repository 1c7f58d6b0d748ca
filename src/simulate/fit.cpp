#include "simulate/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "simulate/collective.hpp"

namespace tutti::simulate {

using base::Result;
using base::Status;

namespace {

// Factors for the parameters, from coarse to fine.
constexpr double k_steps[] = {4, 2, 1.4, 1.15, 1.05, 1.02};
constexpr int k_most_rounds = 12;  // per factor
// Replaces 0, which factors could not change, in ns.
constexpr double k_least_price = 0.01;

/// The fitted times, most important first.
constexpr double Machine::*k_fitted[] = {&Machine::ns_per_byte,
                                         &Machine::latency_ns,
                                         &Machine::overhead_ns,
                                         &Machine::copy_ns_per_byte,
                                         &Machine::local_latency_ns,
                                         &Machine::local_overhead_ns,
                                         &Machine::gap_ns,
                                         &Machine::shared_ns_per_byte,
                                         &Machine::overhead_ns_per_byte,
                                         &Machine::reduce_ns_per_byte};

/// To four digits, so that a file contains exactly the simulated values.
double rounded(double value) {
  return std::stod(fmt::format("{:.4g}", value));
}

class Search {
 public:
  Search(const Measurements& measurements, Machine start, const std::function<void(uint64_t)>& report,
         const AskToStop& stops)
      : measurements_(measurements), report_(report), stops_(stops), best_(std::move(start)) {}

  Status run() {
    if (Status status = prepare(); !status) return status;
    std::vector<double Machine::*> fitted(std::begin(k_fitted), std::end(k_fitted));
    // A separately measured value is not fitted, and other parameters cannot compensate for it.
    if (measurements_.link_ns_per_byte) {
      best_.ns_per_byte = rounded(*measurements_.link_ns_per_byte);
      std::erase(fitted, &Machine::ns_per_byte);
    }
    fitted_ = fitted.size();
    if (Status status = try_out(best_); !status) return status;
    for (const double step : k_steps)
      for (int round = 0; round < k_most_rounds; ++round) {
        const double before = least_;
        for (double Machine::*value : fitted)
          if (Status status = move(value, step); !status) return status;
        if (least_ == before) break;
      }
    return {};
  }

  const Machine& best() const { return best_; }
  const std::vector<double>& ratios() const { return best_ratios_; }
  size_t fitted() const { return fitted_; }

 private:
  /// Increases the parameter while that improves the fit; if it does not, decreases it.
  Status move(double Machine::*value, double step) {
    for (const double factor : {step, 1 / step})
      for (bool is_first = true;; is_first = false) {
        Machine machine = best_;
        machine.*value = std::min(rounded(std::max(machine.*value, k_least_price) * factor), most_of(value));
        const double before = least_;
        if (machine.*value == best_.*value) break;
        if (Status status = try_out(machine); !status) return status;
        if (least_ < before) continue;
        if (!is_first) return {};
        break;
      }
    return {};
  }

  static double most_of(double Machine::*value) {
    for (const MachineParameter& parameter : machine_parameters())
      if (parameter.value == value) return parameter.most;
    return std::numeric_limits<double>::max();
  }

  Status prepare() {
    for (size_t i = 0; i < measurements_.calls.size(); ++i) {
      const MeasuredCall& one = measurements_.calls[i];
      auto made = PreparedCall::make({.call = one.call, .choice = one.choice}, measurements_.topology);
      if (made)
        calls_.push_back({i, std::move(*made)});
      else if (made.status().code() != base::Code::not_supported)
        return made.status();
    }
    return calls_.empty() ? Status::invalid_argument("no measured call can be simulated") : Status();
  }

  /// Simulates all calls on the machine, and keeps it if it is the best so far.
  Status try_out(const Machine& machine) {
    const auto links = make_links(machine, static_cast<uint32_t>(measurements_.topology.node_count()));
    if (!links) return links.status();
    const Costs costs = costs_of(machine);
    const std::vector<uint64_t> at_once(static_cast<size_t>(measurements_.topology.rank_count()));
    std::vector<double> ratios(measurements_.calls.size());
    double sum = 0;
    for (SimulableCall& one : calls_) {
      if (stops_ && stops_()) return Status::not_supported("stopped");
      const auto outcome = one.call.run(at_once, costs, links->get(), stops_);
      if (!outcome) return outcome.status();
      const auto end_ns = static_cast<double>(*std::ranges::max_element(outcome->ends_ps)) / 1000;
      ratios[one.number] = std::max(end_ns, 1.0) / measurements_.calls[one.number].ns;
      sum += std::abs(std::log(ratios[one.number]));
    }
    report_(++tried_);
    if (sum >= least_) return {};
    least_ = sum;
    best_ = machine;
    best_ratios_ = std::move(ratios);
    return {};
  }

  struct SimulableCall {
    size_t number;  // index of the measured call
    PreparedCall call;
  };

  std::vector<SimulableCall> calls_;  // only calls that can be simulated
  const Measurements& measurements_;
  const std::function<void(uint64_t)>& report_;
  const AskToStop& stops_;
  Machine best_;
  std::vector<double> best_ratios_;
  double least_ = std::numeric_limits<double>::infinity();  // sum of |log(ratio)|
  uint64_t tried_ = 0;
  size_t fitted_ = 0;
};

}  // namespace

bool Fit::is_telling() const {
  const auto simulated = std::ranges::count_if(ratios, [](double ratio) { return ratio > 0; });
  return static_cast<size_t>(simulated) >= 2 * fitted;
}

Result<Fit> fit(const Measurements& measurements, const Machine& start,
                const std::function<void(uint64_t)>& report, const AskToStop& stops) {
  Search search(measurements, start, report, stops);
  if (Status status = search.run(); !status) return status;
  Fit found{.machine = search.best(), .ratios = search.ratios(), .fitted = search.fitted()};
  std::vector<double> errors;
  for (const double ratio : found.ratios)
    if (ratio > 0) errors.push_back(std::abs(ratio - 1));
  std::sort(errors.begin(), errors.end());
  found.median_error = errors[errors.size() / 2];
  found.ninth_error = errors[std::min(errors.size() - 1, errors.size() * 9 / 10)];
  return found;
}

}  // namespace tutti::simulate
