#include "mpi/request/early_calls.hpp"

#include <algorithm>
#include <utility>

#include "mpi/lifecycle/communicator.hpp"
#include "mpi/lifecycle/progress_engine.hpp"
#include "mpi/request/early_call.hpp"

namespace tutti::mpi {

void EarlyCalls::insert(EarlyCall* call) {
  const std::lock_guard lock(mutex_);
  calls_.push_back(call);
  count_.store(calls_.size() + failures_.size(), std::memory_order_release);
}

void EarlyCalls::erase(EarlyCall* call, Failure failure) {
  const std::lock_guard lock(mutex_);
  std::erase(calls_, call);
  if (failure.code != MPI_SUCCESS) failures_.push_back(std::move(failure));
  count_.store(calls_.size() + failures_.size(), std::memory_order_release);
}

template <class Concerns>
void EarlyCalls::wait_while(Concerns concerns, ProgressEngine& progress) {
  for (;;) {
    EarlyCall* found = nullptr;
    {
      const std::lock_guard lock(mutex_);
      const auto place = std::ranges::find_if(calls_, concerns);
      if (place == calls_.end()) return;
      found = *place;
      found->hold();
    }
    progress.await(found->end());
    found->release_hold();
  }
}

void EarlyCalls::wait_for(const void* memory, uint64_t bytes, ProgressEngine& progress) {
  wait_while([=](const EarlyCall* call) { return call->concerns(memory, bytes); }, progress);
}

void EarlyCalls::wait_for_all(ProgressEngine& progress) {
  wait_while([](const EarlyCall*) { return true; }, progress);
}

void EarlyCalls::raise_failures() {
  std::vector<Failure> failures;
  {
    const std::lock_guard lock(mutex_);
    failures.swap(failures_);
    count_.store(calls_.size(), std::memory_order_release);
  }
  for (const Failure& failure : failures)
    if (failure.communicator != nullptr && !failure.communicator->is_freed())
      PMPI_Comm_call_errhandler(failure.communicator->handle(), failure.code);
}

}  // namespace tutti::mpi
