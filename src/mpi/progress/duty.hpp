#pragma once
// A job by which a driver also makes progress on work that is not an operation of its own.

#include <cassert>

#include "engine/engine.hpp"
#include "engine/job.hpp"

namespace tutti::mpi {

/// To its driver it is an ordinary job: an engine with one operation, which lasts until is_done() and whose progress()
/// makes progress on the taken-over work. Only drivers drive it.
class Duty : protected engine::Engine, protected engine::Operation, protected engine::Job {
 protected:
  Duty() { Job::engine = this; }

 private:
  base::Result<engine::Operation*> start() final { return static_cast<engine::Operation*>(this); }
  base::Result<engine::Operation*> start(const engine::Plan&, const engine::Bindings&) final {
    return start();
  }
  void release(engine::Operation*) final {}
  base::Status wait(engine::Operation*) final {
    assert(false);
    return status_;
  }
  const base::Status& status() const final { return status_; }

  base::Status status_;
};

}  // namespace tutti::mpi
