#pragma once
// Executes jobs (DESIGN §6): a progress thread, or the program's own threads inside MPI calls.

#include "engine/job.hpp"

namespace tutti::engine {

/// An engine belongs to one driver from the first submit() of a job of that engine until the last of its jobs
/// has ended. Until then, further jobs of that engine must go to the same driver.
class Driver {
 public:
  virtual ~Driver() = default;

  /// Hands a job over to the driver. Any thread, also from Job::ended(). Never waits and never allocates.
  virtual void submit(Job* job) = 0;
};

}  // namespace tutti::engine
