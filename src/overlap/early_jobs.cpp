#include "overlap/early_jobs.hpp"

#include <algorithm>

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

template <class Concerns>
void EarlyJobs::wait_while(Concerns concerns, const Await& await) {
  for (;;) {
    EarlyJob* found = nullptr;
    {
      const std::lock_guard lock(mutex_);
      const auto place = std::ranges::find_if(jobs_, concerns);
      if (place == jobs_.end()) return;
      found = *place;
      found->hold();
    }
    await(found->end());
    found->release_hold();
  }
}

void EarlyJobs::wait_for(const void* memory, uint64_t bytes, const Await& await) {
  wait_while([=](const EarlyJob* job) { return job->concerns(memory, bytes); }, await);
}

void EarlyJobs::wait_for_all(const Await& await) {
  wait_while([](const EarlyJob*) { return true; }, await);
}

}  // namespace tutti::overlap
