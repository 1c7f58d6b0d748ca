#include "engine/inline_progress.hpp"

namespace tutti::engine {

void InlineProgress::submit(Job* job) {
  // Increment before the push, so that a thread that sees the job in the queue also sees the count.
  job_count_.fetch_add(1, std::memory_order_relaxed);
  queue_.push(job);
}

bool InlineProgress::progress() {
  if (is_driven_.exchange(true, std::memory_order_acquire)) return false;
  while (Job* const job = queue_.pop()) runner_.accept(job);
  const size_t before = runner_.job_count();
  const bool moved = runner_.progress();
  // A resubmitted job goes through the queue: inside the runner the count can only decrease.
  job_count_.fetch_sub(before - runner_.job_count(), std::memory_order_relaxed);
  is_driven_.store(false, std::memory_order_release);
  return moved;
}

}  // namespace tutti::engine
