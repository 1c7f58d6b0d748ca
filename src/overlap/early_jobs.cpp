#include "overlap/early_jobs.hpp"

#include <algorithm>

namespace tutti::overlap {

void EarlyJobs::insert(EarlyJob* job) {
  const std::lock_guard lock(mutex_);
  are_some_.set(true);
  jobs_.push_back(job);
}

void EarlyJobs::erase(EarlyJob* job) {
  const std::lock_guard lock(mutex_);
  std::erase(jobs_, job);
  if (jobs_.empty()) are_some_.set(false);
}

void EarlyJobs::wait_for_all(const Await& await) {
  wait_for([](const EarlyJob&) { return true; }, await);
}

void EarlyJobs::wait_for(const Choice& is_chosen, const Await& await) {
  for (;;) {
    EarlyJob* first = nullptr;
    {
      const std::lock_guard lock(mutex_);
      const auto found = std::ranges::find_if(jobs_, [&](const EarlyJob* job) { return is_chosen(*job); });
      if (found == jobs_.end()) return;
      first = *found;
      first->hold();
    }
    await(first->end());
    first->release_hold();
  }
}

}  // namespace tutti::overlap
