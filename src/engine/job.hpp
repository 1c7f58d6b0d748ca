#pragma once
// One operation that the thread that calls a collective hands over to a driver (paper 001, section 3.2: the
// task in the queue).

#include <atomic>

#include "base/status.hpp"
#include "engine/engine.hpp"

namespace tutti::engine {

/// Belongs to the caller until submitted and from ended() on; in between, to its driver.
class Job {
 public:
  virtual ~Job() = default;
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// The driver calls it before the job starts, in the order of the engine's jobs. False: the plan is not
  /// decided yet; this job and those behind it wait, and the driver asks again. The plan may change until the
  /// result is true.
  virtual bool is_ready() { return true; }
  /// Start the operation, and release it once it is done. By default: the plan on the engine.
  virtual base::Result<Operation*> start() { return engine->start(*plan, bindings); }
  virtual void release(Operation* operation) { engine->release(operation); }

  /// The operation to run. While the engine has jobs, only the driver uses it.
  Engine* engine = nullptr;
  const Plan* plan = nullptr;
  Bindings bindings;

  /// The operation has ended, or could not start; the driver no longer accesses the job, nor the engine for
  /// it. Called once per submit(), on the driving thread. May submit the job again, or delete it.
  virtual void ended(const base::Status& status) = 0;

  /// Link of the queue that holds the job.
  std::atomic<Job*> next{nullptr};
};

}  // namespace tutti::engine
