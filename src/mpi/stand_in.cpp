#include "mpi/stand_in.hpp"

#include <cassert>

namespace tutti::mpi {

void StandIn::begin(engine::Driver& thread) {
  Job::engine = this;
  thread_ = &thread;
  if (state_.exchange(k_wanted, std::memory_order_acq_rel) == k_idle) thread.submit(this);
}

void StandIn::end() {
  state_.store(k_unwanted, std::memory_order_release);
}

/// Only drivers drive it.
base::Status StandIn::wait(engine::Operation*) {
  assert(false);
  return status_;
}

void StandIn::ended(const base::Status&) {
  uint32_t seen = k_unwanted;
  if (!state_.compare_exchange_strong(seen, k_idle, std::memory_order_acq_rel)) thread_->submit(this);
}

}  // namespace tutti::mpi
