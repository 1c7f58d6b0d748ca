#pragma once
// One operation that is handed over to a driver by the thread that calls a collective (paper 001, section 3.2: the
// task in the queue).

#include <atomic>

#include "base/status.hpp"
#include "engine/engine.hpp"

namespace tutti::engine {

/// Belongs to the caller until it is handed over and from ended() on; in between, to its driver.
class Job {
 public:
  virtual ~Job() = default;
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Asked by the driver before the job starts, in the order of the engine's jobs. False: the plan is not decided
  /// yet; the jobs behind wait as well, and the question comes again. The plan may change until the answer is true.
  virtual bool is_ready() { return true; }
  /// Start the operation, and give it back once it is done. By default that is the plan on the engine.
  virtual base::Result<Operation*> start() { return engine->start(*plan, bindings); }
  virtual void release(Operation* operation) { engine->release(operation); }

  /// The operation. Only the driver uses the engine while it has jobs.
  Engine* engine = nullptr;
  const Plan* plan = nullptr;
  Bindings bindings;

  /// The operation has ended, or could not start; the driver no longer touches it, nor the engine on its behalf.
  /// Called once per hand-over, on the driving thread. May hand the job over again, or delete it.
  virtual void ended(const base::Status& status) = 0;

  /// Link of the queue that holds the job.
  std::atomic<Job*> next{nullptr};
};

}  // namespace tutti::engine
