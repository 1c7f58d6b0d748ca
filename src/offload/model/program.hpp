#pragma once
// The program of one host: it computes, arrives at a collective, and continues after it. Not thread-safe.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "offload/model/parameters.hpp"
#include "offload/model/workload.hpp"

namespace tutti::offload::model {

class Program {
 public:
  Program(const Timing& timing, const Workload& workload, uint32_t node)
      : timing_(timing), workload_(workload), node_(node) {
    plan();
  }

  bool is_over() const { return posted_ == workload_.repeats; }
  bool is_done() const { return is_over() && open_ == 0; }

  /// The cycle in which the program arrives at its next collective; UINT64_MAX: not before another one has
  /// completed.
  uint64_t due() const { return is_over() || open_ == workload_.window ? UINT64_MAX : due_; }
  uint32_t next() const { return posted_; }

  /// The program has arrived at next(). Its CPU is free from `cpu_free` on.
  void post(uint64_t cpu_free) {
    ++posted_;
    ++open_;
    free_at_ = std::max(free_at_, cpu_free);
    if (open_ < workload_.window) plan();
  }

  /// A collective has completed. The CPU is free from `cpu_free` on.
  void complete(uint64_t cpu_free) {
    const bool was_waiting = open_ == workload_.window;
    --open_;
    free_at_ = std::max(free_at_, cpu_free);
    if (was_waiting) plan();
  }

 private:
  void plan() {
    if (is_over()) return;
    const double cycles = delay_ns(workload_, node_, posted_) / timing_.ns_per_cycle;
    due_ = free_at_ + static_cast<uint64_t>(std::llround(cycles));
  }

  const Timing& timing_;
  const Workload& workload_;
  uint32_t node_, posted_ = 0, open_ = 0;
  uint64_t free_at_ = 0, due_ = 0;
};

}  // namespace tutti::offload::model
