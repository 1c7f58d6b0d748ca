#pragma once
// Counter that numbers the collective operations of one communicator or persistent request, alike on all its members.

#include <atomic>
#include <cstdint>

namespace tutti::record {

/// MPI allows one thread at a time to start operations on a communicator; successive threads may differ.
class OperationCounter {
 public:
  OperationCounter(uint32_t communicator, uint32_t stream) : communicator_(communicator), stream_(stream) {}

  uint32_t communicator() const { return communicator_; }
  /// 0: the communicator itself; n: its n-th persistent request.
  uint32_t stream() const { return stream_; }
  uint32_t next() { return next_.fetch_add(1, std::memory_order_relaxed); }
  /// Undoes the latest next(): the operation did not take place.
  void take_back() { next_.fetch_sub(1, std::memory_order_relaxed); }
  /// Number of a new persistent request of the communicator.
  uint32_t next_stream() { return last_stream_.fetch_add(1, std::memory_order_relaxed) + 1; }

 private:
  const uint32_t communicator_, stream_;
  std::atomic<uint32_t> next_{0}, last_stream_{0};
};

}  // namespace tutti::record
