#pragma once
// A bound on how much is under way at the same time, written as dependencies.

#include <cstdint>
#include <vector>

#include "schedule/schedule.hpp"

namespace tutti::algorithm {

/// Steps 0, 1, 2, … of which at most `limit` are under way: step i waits for step i - limit. No bound if
/// limit is 0. A step that does nothing is left out; the next step of its lane then waits for the one before
/// it.
class Lanes {
 public:
  explicit Lanes(uint64_t limit, uint64_t step_count)
      : last_(limit < step_count ? limit : 0, schedule::k_no_task) {}

  schedule::TaskId before(uint64_t step) const {
    return last_.empty() ? schedule::k_no_task : last_[step % last_.size()];
  }
  void set_last(uint64_t step, schedule::TaskId task) {
    if (!last_.empty() && task != schedule::k_no_task) last_[step % last_.size()] = task;
  }

 private:
  std::vector<schedule::TaskId> last_;
};

/// Steps that wait for each other, at most: ⌈step_count / limit⌉, or 1 without a bound.
constexpr uint64_t lane_turns(uint64_t step_count, uint64_t limit) {
  if (limit == 0) return step_count > 0;
  return step_count / limit + (step_count % limit != 0);
}

}  // namespace tutti::algorithm
