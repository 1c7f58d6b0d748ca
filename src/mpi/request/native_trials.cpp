#include "mpi/request/native_trials.hpp"

#include <algorithm>

#include "base/clock.hpp"

namespace tutti::mpi {

select::Sample TrialTimes::sample(uint64_t completed_ns) const {
  const uint64_t computed_until = awaited_ns != 0 ? awaited_ns : completed_ns;
  return {.start_ns = returned_ns - started_ns,
          .between_ns = computed_until - returned_ns,
          .wait_ns = completed_ns - computed_until};
}

void NativeTrials::forget() {
  for (const Trial& trial : std::exchange(trials_, {})) trial.communicator->release();
}

void NativeTrials::add(MPI_Request request, dispatch::Held& communicator, dispatch::CallSite& site,
                       const select::Turn& turn, uint64_t started_ns) {
  communicator.hold();
  const std::lock_guard lock(mutex_);
  trials_.push_back({.request = request,
                     .communicator = &communicator,
                     .site = &site,
                     .turn = turn,
                     .times = {.started_ns = started_ns, .returned_ns = base::monotonic_ns()}});
  count_.store(trials_.size(), std::memory_order_relaxed);
}

bool NativeTrials::note_wait(MPI_Request request, bool waits) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(trials_, request, &Trial::request);
  if (found == trials_.end()) return false;
  if (waits && found->times.awaited_ns == 0) found->times.awaited_ns = base::monotonic_ns();
  return true;
}

void NativeTrials::completed(MPI_Request request) {
  const uint64_t now_ns = base::monotonic_ns();
  Trial ended;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(trials_, request, &Trial::request);
    if (found == trials_.end()) return;
    ended = *found;
    trials_.erase(found);
    count_.store(trials_.size(), std::memory_order_relaxed);
  }
  ended.site->end(ended.turn, ended.times.sample(now_ns));
  ended.communicator->release();
}

NativeTrials::Watch::Watch(NativeTrials* trials, int count, const MPI_Request* requests, bool waits)
    : trials_(trials), requests_(requests) {
  if (trials == nullptr || trials->is_empty() || requests == nullptr) return;
  for (int i = 0; i < count; ++i)
    if (requests[i] != MPI_REQUEST_NULL && trials->note_wait(requests[i], waits))
      watched_.emplace_back(i, requests[i]);
}

NativeTrials::Watch::~Watch() {
  for (const auto& [place, request] : watched_)
    if (requests_[place] == MPI_REQUEST_NULL) trials_->completed(request);
}

}  // namespace tutti::mpi
