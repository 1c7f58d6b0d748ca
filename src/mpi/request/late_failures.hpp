#pragma once
// Failures of collectives whose calls have returned with success, and that have no request to tell of them.

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "base/short_way.hpp"
#include "mpi/request/failure.hpp"

namespace tutti::mpi {

/// Any thread.
class LateFailures {
 public:
  bool is_empty() const { return !has_some_.load(std::memory_order_acquire); }

  void add(Failure failure) {
    const std::lock_guard lock(mutex_);
    failures_.push_back(std::move(failure));
    are_some_.set(true);
    has_some_.store(true, std::memory_order_release);
  }
  std::vector<Failure> take() {
    const std::lock_guard lock(mutex_);
    has_some_.store(false, std::memory_order_relaxed);
    are_some_.set(false);
    return std::exchange(failures_, {});
  }

 private:
  std::atomic<bool> has_some_{false};
  std::mutex mutex_;
  std::vector<Failure> failures_;
  base::ShortWay::Reason are_some_;
};

}  // namespace tutti::mpi
