#include "mpi/progress/progress_delegate.hpp"

namespace tutti::mpi {

void Delegate::begin(engine::Driver& thread) {
  thread_ = &thread;
  if (state_.exchange(k_wanted, std::memory_order_acq_rel) == k_idle) thread.submit(this);
}

void Delegate::end() {
  state_.store(k_unwanted, std::memory_order_release);
}

void Delegate::ended(const base::Status&) {
  uint32_t seen = k_unwanted;
  if (!state_.compare_exchange_strong(seen, k_idle, std::memory_order_acq_rel)) thread_->submit(this);
}

}  // namespace tutti::mpi
