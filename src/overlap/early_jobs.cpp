#include "overlap/early_jobs.hpp"

namespace tutti::overlap {

void EarlyJobs::insert(EarlyJob* job) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back(job);
  count_.store(jobs_.size(), std::memory_order_release);
}

void EarlyJobs::erase(EarlyJob* job) {
  const std::lock_guard lock(mutex_);
  std::erase(jobs_, job);
  count_.store(jobs_.size(), std::memory_order_release);
}

void EarlyJobs::wait_for_all(const Await& await) {
  for (;;) {
    EarlyJob* first = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (jobs_.empty()) return;
      first = jobs_.front();
      first->hold();
    }
    await(first->end());
    first->release_hold();
  }
}

}  // namespace tutti::overlap
