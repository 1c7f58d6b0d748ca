#pragma once
// One operation that somebody else carries out: handed over by the thread that calls a collective, driven by
// whoever makes progress (paper 001, section 3.2: the task that stands in the queue).

#include <atomic>

#include "base/status.hpp"
#include "engine/engine.hpp"

namespace tutti::engine {

/// Belongs to the caller until it is handed over and from ended() on; in between, to whoever drives it.
class Job {
 public:
  virtual ~Job() = default;
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Asked before it starts, by the driver, in the order of its engine's jobs; those behind it wait with it.
  /// False: what is to be done is not known yet. From then on the plan may still change, until the answer is
  /// true.
  virtual bool is_ready() { return true; }
  /// Starts what is to be done, and gives it back once it is done: the plan, where nothing else is said.
  virtual base::Result<Operation*> start() { return engine->start(*plan, bindings); }
  virtual void release(Operation* operation) { engine->release(operation); }

  /// What is to be done. The engine is driven by nobody else while it has jobs.
  Engine* engine = nullptr;
  const Plan* plan = nullptr;
  Bindings bindings;

  /// The operation has ended, or could not start, and the driver touches neither it nor its engine for it any
  /// more. Called once per hand-over, on the driving thread; may hand the job over again, or delete it.
  virtual void ended(const base::Status& status) = 0;

  /// The link of the queue that it stands in.
  std::atomic<Job*> next{nullptr};
};

}  // namespace tutti::engine
