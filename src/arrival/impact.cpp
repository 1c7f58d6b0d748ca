#include "arrival/impact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/random.hpp"

namespace tutti::arrival {

using base::Status;

namespace {

constexpr uint32_t k_most_steps = 64, k_most_contenders = 1024;
constexpr int k_intervals = 1 << 14;  // number of intervals of the integral; even

/// Probability that all have arrived before x, with an allowance of i transfers for peer i.
double chance_of_no_wait(double x, const ImpactCase& of) {
  double chance = x / of.unbalance;
  for (uint32_t i = 0; i < of.steps; ++i) chance *= leader_distribution(x + i, of.unbalance, of.contenders);
  return chance;
}

/// A random number in [0, 1): number `which` of a trial.
double fraction(uint64_t seed, uint32_t trial, uint32_t which) {
  return base::as_fraction(base::mixed(seed) ^ (uint64_t{trial} << 32 | which));
}

/// Arrival of the first of n, by the inverse of Theorem 2; in units of k.
double first_arrival(double chance, uint32_t contenders) {
  return contenders == 1 ? chance : -std::expm1(std::log1p(-chance) / contenders);
}

}  // namespace

uint32_t binomial_steps(uint32_t count) {
  return static_cast<uint32_t>(std::bit_width(count - 1));
}

double balanced_time(uint32_t steps, double transfer) {
  return steps * transfer;
}

double mean_message_time(double k, double transfer) {
  return k / 6 + transfer;
}

double leader_distribution(double x, double k, uint32_t contenders) {
  return 1 - std::pow(1 - std::clamp(x / k, 0.0, 1.0), contenders);
}

double leader_density(double x, double k, uint32_t contenders) {
  return x < 0 || x > k ? 0 : contenders / k * std::pow(1 - x / k, contenders - 1);
}

Status check(const ImpactCase& of) {
  if (!(of.unbalance >= 0 && of.unbalance <= k_most_unbalance))
    return Status::invalid_argument(
        fmt::format("unbalance degree: 0 to {:g}, not {:g}", k_most_unbalance, of.unbalance));
  if (of.steps > k_most_steps)
    return Status::invalid_argument(fmt::format("steps: 0 to {}, not {}", k_most_steps, of.steps));
  if (of.contenders < 1 || of.contenders > k_most_contenders)
    return Status::invalid_argument(
        fmt::format("processes of a node: 1 to {}, not {}", k_most_contenders, of.contenders));
  return {};
}

std::vector<double> paper_waits(const ImpactCase& of) {
  const double n = of.contenders;
  std::vector<double> waits;
  double elapsed = 0;  // the sum of E(c_j)
  for (uint32_t i = 0; i < of.steps; ++i) {
    const double left = of.unbalance - elapsed;
    const double wait =
        left > 0 ? of.unbalance * std::pow(left / of.unbalance, n + 2) / ((n + 1) * (n + 2)) : 0;
    waits.push_back(wait);
    elapsed += wait + 1;
  }
  return waits;
}

double paper_coefficient(const ImpactCase& of) {
  double sum = 0;
  for (const double wait : paper_waits(of)) sum += wait;
  return sum;
}

double exact_coefficient(const ImpactCase& of) {
  if (of.unbalance == 0) return 0;
  // Simpson's rule for ∫ (1 - P(no wait before x)) dx.
  const double width = of.unbalance / k_intervals;
  double sum = 2 - chance_of_no_wait(0, of) - chance_of_no_wait(of.unbalance, of);
  for (int i = 1; i < k_intervals; ++i) sum += (i % 2 == 1 ? 4 : 2) * (1 - chance_of_no_wait(width * i, of));
  return std::max(sum * width / 3 - of.unbalance / 2, 0.0);
}

Estimate sampled_coefficient(const ImpactCase& of, uint32_t trials, uint64_t seed) {
  Sampling sampling;
  for (uint32_t trial = 0; trial < trials; ++trial) {
    double now = of.unbalance * fraction(seed, trial, 0), waited = 0;
    for (uint32_t i = 0; i < of.steps; ++i) {
      const double peer = of.unbalance * first_arrival(fraction(seed, trial, i + 1), of.contenders);
      const double wait = std::max(peer - now, 0.0);
      waited += wait;
      now += wait + 1;
    }
    sampling.add(waited);
  }
  return sampling.estimate();
}

}  // namespace tutti::arrival
