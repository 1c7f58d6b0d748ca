#include "mpi/request/pending_requests.hpp"

#include <cstdint>
#include <cstring>

#include "base/clock.hpp"
#include "mpi/progress/progress_engine.hpp"

namespace tutti::mpi {

size_t PendingRequests::Hash::operator()(MPI_Request handle) const {
  uint64_t number = 0;  // an int in MPICH, a pointer in Open MPI
  std::memcpy(&number, &handle, sizeof handle);
  return static_cast<size_t>((number * 0x9E3779B97F4A7C15u) >> 16);
}

void PendingRequest::note_wait() {
  if (awaited_ns() == 0) awaited_ns_.store(base::monotonic_ns(), std::memory_order_relaxed);
}

void PendingRequests::insert(MPI_Request handle, PendingRequest* request) {
  const std::lock_guard lock(mutex_);
  by_handle_[handle] = request;
  count_.store(by_handle_.size(), std::memory_order_relaxed);
}

void PendingRequests::erase(MPI_Request handle) {
  const std::lock_guard lock(mutex_);
  by_handle_.erase(handle);
  count_.store(by_handle_.size(), std::memory_order_relaxed);
}

bool PendingRequests::contains(MPI_Request handle) {
  const std::lock_guard lock(mutex_);
  return by_handle_.contains(handle);
}

PendingRequest* PendingRequests::find_and_hold(MPI_Request handle) {
  const std::lock_guard lock(mutex_);
  const auto found = by_handle_.find(handle);
  if (found == by_handle_.end()) return nullptr;
  found->second->hold();
  return found->second;
}

bool PendingRequests::wait(MPI_Request handle, ProgressEngine& progress) {
  PendingRequest* const request = find_and_hold(handle);
  if (request == nullptr) return false;
  request->note_wait();
  progress.await(request->end());
  request->waited();
  request->release_hold();
  return true;
}

int PendingRequests::start(MPI_Request handle) {
  PendingRequest* const request = find_and_hold(handle);
  if (request == nullptr) return MPI_SUCCESS;
  const int result = request->restart();
  request->release_hold();
  return result;
}

std::optional<Failure> PendingRequests::take_failure(MPI_Request handle) {
  if (!has_failures_.load(std::memory_order_relaxed)) return std::nullopt;
  PendingRequest* const request = find_and_hold(handle);
  if (request == nullptr) return std::nullopt;
  std::optional<Failure> failure = request->take_failure();
  request->release_hold();
  return failure;
}

PendingRequest* PendingRequests::take_persistent(MPI_Request handle) {
  const std::lock_guard lock(mutex_);
  const auto found = by_handle_.find(handle);
  if (found == by_handle_.end() || !found->second->is_persistent()) return nullptr;
  PendingRequest* const taken = found->second;
  by_handle_.erase(found);
  count_.store(by_handle_.size(), std::memory_order_relaxed);
  return taken;
}

void PendingRequests::release_persistent() {
  const std::lock_guard lock(mutex_);
  std::erase_if(by_handle_, [](const auto& entry) {
    if (!entry.second->is_persistent()) return false;
    entry.second->release_hold();
    return true;
  });
  count_.store(by_handle_.size(), std::memory_order_relaxed);
}

}  // namespace tutti::mpi
