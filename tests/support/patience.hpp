#pragma once
// Limits the time that a test waits for an immediate event. Timings never decide whether a test passes, so only time
// in which the test itself could run counts: no time passes while the machine or container is stopped.

#include <algorithm>
#include <cstdint>

#include "base/clock.hpp"

namespace tutti::support {

/// For one thread, which polls.
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
