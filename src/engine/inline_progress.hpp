#pragma once
// A driver whose jobs advance on the program's threads, inside MPI calls (DESIGN §6).

#include <atomic>
#include <cstddef>

#include "base/mpsc_queue.hpp"
#include "engine/driver.hpp"
#include "engine/runner.hpp"

namespace tutti::engine {

/// Any thread. One thread at a time drives; the others detect this with one atomic exchange and return.
class InlineProgress final : public Driver {
 public:
  /// The job starts at the next progress().
  void submit(Job* job) override;

  /// Jobs are pending. One load: the early exit of every MPI call that could drive.
  bool has_jobs() const { return job_count() != 0; }
  /// Number of pending jobs, as visible to this thread.
  size_t job_count() const { return job_count_.load(std::memory_order_relaxed); }

  /// Advances all jobs once. Does nothing if another thread drives, or this thread already does further up
  /// its stack. May call Job::ended() on this thread. True if something moved.
  bool progress();

 private:
  std::atomic<size_t> job_count_{0};  // submitted and not ended
  std::atomic<bool> is_driven_{false};
  base::MpscQueue<Job> queue_;
  Runner runner_;  // used by the thread that has set is_driven_
};

}  // namespace tutti::engine
