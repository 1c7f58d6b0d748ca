#include "mpi/request/native_persistent.hpp"

#include "base/clock.hpp"

namespace tutti::mpi {

void NativePersistent::add(MPI_Request request, const collective::CallEvent& event) {
  const std::lock_guard lock(mutex_);
  all_[request] = event;
  count_.store(all_.size(), std::memory_order_relaxed);
}

void NativePersistent::remove(MPI_Request request) {
  if (count_.load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard lock(mutex_);
  all_.erase(request);
  count_.store(all_.size(), std::memory_order_relaxed);
}

bool NativePersistent::find(MPI_Request request, collective::CallEvent* event) {
  const std::lock_guard lock(mutex_);
  const auto found = all_.find(request);
  if (found == all_.end()) return false;
  *event = found->second;
  return true;
}

NativePersistent::Start::Start(NativePersistent* persistent, int count, const MPI_Request* requests)
    : persistent_(persistent) {
  if (persistent == nullptr || persistent->count_.load(std::memory_order_relaxed) == 0) return;
  for (int i = 0; requests != nullptr && i < count; ++i) {
    collective::CallEvent event;
    if (!persistent->find(requests[i], &event)) continue;
    if (persistent->observers_.time_every_call()) {
      event.started_ns = base::monotonic_ns();
      persistent->observers_.begun(event);
    }
    begun_.emplace_back(requests[i], event);
  }
}

int NativePersistent::Start::ended(int result) {
  for (auto& [request, event] : begun_) {
    event.is_refused = result != MPI_SUCCESS;
    const bool is_timed = event.started_ns != 0;
    if (is_timed) event.ended_ns = base::monotonic_ns();
    persistent_->observers_.ended(event);
    event.ended_ns = 0;
    if (is_timed && !event.is_refused)
      persistent_->started_.add(request, {.observers = &persistent_->observers_, .event = event},
                                event.started_ns);
  }
  return result;
}

}  // namespace tutti::mpi
