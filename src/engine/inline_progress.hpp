#pragma once
// A driver whose jobs advance on the program's own threads, inside MPI calls (DESIGN §6).

#include <atomic>
#include <cstddef>

#include "base/sentinel_queue.hpp"
#include "engine/driver.hpp"
#include "engine/runner.hpp"

namespace tutti::engine {

/// Any thread. One thread at a time drives; the others detect that with one exchange and return.
class InlineProgress final : public Driver {
 public:
  /// The job starts at the next progress().
  void submit(Job* job) override;

  /// Jobs are under way. One load: the early exit of every MPI call that could drive.
  bool has_jobs() const { return job_count() != 0; }
  /// How many, as far as this thread has seen.
  size_t job_count() const { return job_count_.load(std::memory_order_relaxed); }

  /// Advances all jobs once. Does nothing when another thread drives, or this one further up its stack. May call
  /// Job::ended() on this thread. True when something moved.
  bool progress();

 private:
  std::atomic<size_t> job_count_{0};  // handed over and not ended
  std::atomic<bool> is_driven_{false};
  base::SentinelQueue<Job> queue_;
  Runner runner_;  // belongs to the thread that has set is_driven_
};

}  // namespace tutti::engine
