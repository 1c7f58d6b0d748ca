#pragma once
// Who carries jobs out (DESIGN §6): a progress thread, or the program's own threads from inside MPI calls.

#include "engine/job.hpp"

namespace tutti::engine {

/// An engine belongs to one driver from the time a job of it is handed over until the last of its jobs has
/// ended; in between, further jobs of it go to the same driver.
class Driver {
 public:
  virtual ~Driver() = default;

  /// Hands a job over. Any thread, also from Job::ended(). Waits for nothing, and never allocates.
  virtual void submit(Job* job) = 0;
};

}  // namespace tutti::engine
