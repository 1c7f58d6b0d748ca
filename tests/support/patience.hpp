#pragma once
// How long a test waits for what should happen at once. Timings never decide whether a test passes, so only
// time in which the test itself could run counts: none passes while the machine or container stands still.

#include <algorithm>
#include <cstdint>

#include "base/clock.hpp"

namespace tutti::support {

/// For one thread, which asks again and again.
class Patience {
 public:
  explicit Patience(uint64_t seconds) : left_ns_(seconds * 1'000'000'000) {}

  bool is_over() {
    const uint64_t now_ns = base::monotonic_ns();
    left_ns_ -= std::min({left_ns_, now_ns - last_ns_, k_longest_step_ns});
    last_ns_ = now_ns;
    return left_ns_ == 0;
  }

 private:
  static constexpr uint64_t k_longest_step_ns = 20'000'000;
  uint64_t left_ns_;
  uint64_t last_ns_ = base::monotonic_ns();
};

}  // namespace tutti::support
