#pragma once
// Limits the number of steps in flight by means of dependencies.

#include <cstdint>
#include <vector>

#include "schedule/schedule.hpp"

namespace tutti::algorithm {

/// Steps 0, 1, 2, … of which at most `limit` are in flight: step i waits for step i - limit. No limit if `limit` is 0.
/// A step without tasks is skipped; the next step then waits for the previous one.
class InFlightLimit {
 public:
  explicit InFlightLimit(uint64_t limit, uint64_t step_count)
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

/// Maximum number of steps that wait for each other: ⌈step_count / limit⌉, or 1 without a limit.
constexpr uint64_t steps_one_after_another(uint64_t step_count, uint64_t limit) {
  if (limit == 0) return step_count > 0;
  return step_count / limit + (step_count % limit != 0);
}

}  // namespace tutti::algorithm
