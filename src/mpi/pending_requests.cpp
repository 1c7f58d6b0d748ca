#include "mpi/pending_requests.hpp"

#include <cstdint>
#include <cstring>

#include "base/clock.hpp"
#include "mpi/drivers.hpp"

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

bool PendingRequests::wait(MPI_Request handle, Drivers& drivers) {
  PendingRequest* request = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = by_handle_.find(handle);
    if (found == by_handle_.end()) return false;
    request = found->second;
    request->hold();
  }
  request->note_wait();
  drivers.await(request->end());
  request->let_go();
  return true;
}

}  // namespace tutti::mpi
