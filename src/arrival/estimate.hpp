#pragma once
// Means of samples and their standard errors. Not thread-safe.

#include <cmath>
#include <cstdint>

namespace tutti::arrival {

struct Estimate {
  double value = 0;  // mean of the samples
  double error = 0;  // its standard error; 0 for a single sample
};

/// Accumulates samples one by one (Welford, Technometrics 4(3), 1962: no cancellation).
class Sampling {
 public:
  void add(double sample) {
    const double before = sample - mean_;
    mean_ += before / static_cast<double>(++count_);
    squares_ += before * (sample - mean_);
  }
  Estimate estimate() const {
    if (count_ < 2) return {mean_, 0};
    const auto n = static_cast<double>(count_);
    return {mean_, std::sqrt(squares_ / (n - 1) / n)};
  }

 private:
  uint64_t count_ = 0;
  double mean_ = 0, squares_ = 0;
};

}  // namespace tutti::arrival
