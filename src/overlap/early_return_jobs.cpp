#include "overlap/early_return_jobs.hpp"

#include <algorithm>

namespace tutti::overlap {

void EarlyReturnJobs::insert(EarlyReturnJob* job) {
  const std::lock_guard lock(mutex_);
  are_some_.set(true);
  jobs_.push_back(job);
}

void EarlyReturnJobs::erase(EarlyReturnJob* job) {
  const std::lock_guard lock(mutex_);
  std::erase(jobs_, job);
  if (jobs_.empty()) are_some_.set(false);
}

void EarlyReturnJobs::wait_for_all(const Await& await) {
  wait_for([](const EarlyReturnJob&) { return true; }, await);
}

void EarlyReturnJobs::wait_for(const Choice& is_chosen, const Await& await) {
  for (;;) {
    EarlyReturnJob* first = nullptr;
    {
      const std::lock_guard lock(mutex_);
      const auto found =
          std::ranges::find_if(jobs_, [&](const EarlyReturnJob* job) { return is_chosen(*job); });
      if (found == jobs_.end()) return;
      first = *found;
      first->hold();
    }
    await(first->end());
    first->release_hold();
  }
}

}  // namespace tutti::overlap
