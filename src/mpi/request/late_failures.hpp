#pragma once
// Failures of collectives whose calls have returned success early, and that have no request to report them.

#include <mutex>
#include <utility>
#include <vector>

#include "base/short_way.hpp"
#include "mpi/request/failure.hpp"

namespace tutti::mpi {

/// Any thread.
class LateFailures {
 public:
  bool is_empty() const { return !are_some_.is_there(); }

  void add(Failure failure) {
    const std::lock_guard lock(mutex_);
    failures_.push_back(std::move(failure));
    are_some_.set(true);
  }
  std::vector<Failure> take() {
    const std::lock_guard lock(mutex_);
    are_some_.set(false);
    return std::exchange(failures_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<Failure> failures_;
  base::ShortWay::Reason are_some_;
};

}  // namespace tutti::mpi
