#include "mpi/request/native_requests.hpp"

#include <utility>

#include "base/clock.hpp"
#include "mpi/record/run_record.hpp"

namespace tutti::mpi {

namespace {

/// True if the operation of a persistent request has ended.
bool has_ended(MPI_Request request) {
  int is_complete = 0;
  PMPI_Request_get_status(request, &is_complete, MPI_STATUS_IGNORE);
  return is_complete != 0;
}

}  // namespace

select::Sample TrialTimes::sample(uint64_t completed_ns) const {
  const uint64_t computed_until = awaited_ns != 0 ? awaited_ns : completed_ns;
  return {.start_ns = returned_ns - started_ns,
          .between_ns = computed_until - returned_ns,
          .wait_ns = completed_ns - computed_until};
}

void CompletionObserver::completed(uint64_t began_ns, const select::Sample& cost) const {
  if (message.record != nullptr)
    message.record->message(message.call, message.counter, message.peer,
                            began_ns + cost.start_ns + cost.between_ns, cost.wait_ns);
  if (site != nullptr) site->end(served_call, cost);
  if (observers != nullptr) observers->completed(event, cost);
  if (communicator != nullptr) communicator->release();
}

void NativeRequests::forget() {
  for (const auto& [request, pending] : std::exchange(pending_, {}))
    if (pending.observer.communicator != nullptr) pending.observer.communicator->release();
}

void NativeRequests::add(MPI_Request request, const CompletionObserver& observer, uint64_t started_ns) {
  if (observer.communicator != nullptr) observer.communicator->hold();
  completed(request, base::monotonic_ns());  // MPICH shares one handle among requests that completed at once
  const std::lock_guard lock(mutex_);
  pending_[request] = {.observer = observer,
                       .times = {.started_ns = started_ns, .returned_ns = base::monotonic_ns()}};
  count_.store(pending_.size(), std::memory_order_relaxed);
}

bool NativeRequests::contains(MPI_Request request) {
  const std::lock_guard lock(mutex_);
  return pending_.contains(request);
}

std::optional<PendingMessage> NativeRequests::awaited_by(MPI_Request request) {
  const std::lock_guard lock(mutex_);
  const auto found = pending_.find(request);
  if (found == pending_.end()) return std::nullopt;
  const CompletionObserver& observer = found->second.observer;
  if (observer.message.record != nullptr) return observer.message;
  return PendingMessage{.counter = observer.event.counter, .call = record::MessageCall::other};
}

void NativeRequests::remove(MPI_Request request) {
  const std::lock_guard lock(mutex_);
  const auto found = pending_.find(request);
  if (found == pending_.end() || found->second.observer.message.record == nullptr) return;
  pending_.erase(found);
  count_.store(pending_.size(), std::memory_order_relaxed);
}

bool NativeRequests::note_wait(MPI_Request request, uint64_t now_ns, bool waits, bool* is_persistent) {
  const std::lock_guard lock(mutex_);
  const auto found = pending_.find(request);
  if (found == pending_.end()) return false;
  *is_persistent = found->second.observer.is_persistent();
  TrialTimes& times = found->second.times;
  const bool is_message = found->second.observer.message.record != nullptr;
  if (waits && (times.awaited_ns == 0 || is_message)) times.awaited_ns = now_ns;
  return true;
}

void NativeRequests::completed(MPI_Request request, uint64_t now_ns) {
  Pending ended;
  {
    const std::lock_guard lock(mutex_);
    const auto found = pending_.find(request);
    if (found == pending_.end()) return;
    ended = found->second;
    pending_.erase(found);
    count_.store(pending_.size(), std::memory_order_relaxed);
  }
  ended.observer.completed(ended.times.started_ns, ended.times.sample(now_ns));
}

NativeRequests::Watch::Watch(NativeRequests* natives, int count, const MPI_Request* requests, bool waits)
    : natives_(natives), requests_(requests) {
  if (natives == nullptr || natives->is_empty() || requests == nullptr) return;
  const uint64_t now_ns = base::monotonic_ns();
  for (int i = 0; i < count; ++i) {
    WatchedRequest one{.place = i, .request = requests[i], .is_persistent = false};
    if (one.request != MPI_REQUEST_NULL && natives->note_wait(one.request, now_ns, waits, &one.is_persistent))
      watched_.push_back(one);
  }
}

NativeRequests::Watch::~Watch() {
  const uint64_t now_ns = watched_.empty() ? 0 : base::monotonic_ns();
  for (const auto& [place, request, is_persistent] : watched_)
    if (requests_[place] == MPI_REQUEST_NULL || (is_persistent && has_ended(request)))
      natives_->completed(request, now_ns);
}

}  // namespace tutti::mpi
