#pragma once
// Jobs that the program's own threads carry out, whenever they are inside an MPI call (DESIGN §6).

#include <atomic>
#include <cstddef>

#include "base/sentinel_queue.hpp"
#include "engine/driver.hpp"
#include "engine/runner.hpp"

namespace tutti::engine {

/// Any thread. One of them at a time drives; the others find that out with one exchange and go on.
class InlineProgress final : public Driver {
 public:
  /// The job starts at the next progress().
  void submit(Job* job) override;

  /// Something is under way. One load: the way out of every MPI call that could drive.
  bool has_jobs() const { return job_count_.load(std::memory_order_relaxed) != 0; }

  /// Moves everything on, once; nothing when another thread, or this one further up its stack, is at it. Jobs
  /// may hear of their end meanwhile, on this thread. True when something moved.
  bool progress();

 private:
  std::atomic<size_t> job_count_{0};  // handed over and not ended
  std::atomic<bool> is_driven_{false};
  base::SentinelQueue<Job> queue_;
  Runner runner_;  // belongs to whoever has set is_driven_
};

}  // namespace tutti::engine
