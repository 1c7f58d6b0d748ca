#pragma once
// Blocking collectives that have returned before their data has arrived, and what guards the program from that data
// (docs/overlap.md).

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/progress/progress_engine.hpp"
#include "mpi/request/late_failures.hpp"
#include "mpi/runtime/multithreaded_use.hpp"
#include "overlap/access_traces.hpp"
#include "overlap/early_return_jobs.hpp"
#include "overlap/guard/mechanism.hpp"
#include "select/access_log.hpp"

namespace tutti::mpi {

/// Those of this process. Any thread, after find_guards() and watch_threads().
class EarlyCalls {
 public:
  explicit EarlyCalls(ProgressEngine& progress) : progress_(progress) {}

  /// Finds the mechanisms that can guard buffers here. `wanted`: TUTTI_OVERLAP_GUARD. `is_over_mpi`: the MPI carries
  /// Tutti's messages. Returns the obstacles of those that do not work.
  std::string find_guards(std::string_view wanted, bool is_over_mpi);
  /// The program may call the MPI from several threads.
  void watch_threads();

  /// Mechanisms that can guard buffers, in order of preference.
  std::span<const overlap::guard::Mechanism> guards() const { return guards_; }
  overlap::EarlyReturnJobs& jobs() { return jobs_; }
  LateFailures& failures() { return failures_; }
  /// Results for which the order of the program's first uses is being recorded.
  overlap::AccessTraces& traces() { return overlap::AccessTraces::of_process(); }
  /// With TUTTI_OVERLAP=trace: what the traces have recorded.
  select::AccessLog& log() { return log_; }
  MultithreadedUse& multithreaded_use() { return multithreaded_use_; }

  [[gnu::always_inline]] bool is_empty() {
    return jobs_.is_empty() && failures_.is_empty() && overlap::AccessTraces::is_empty();
  }
  /// Waits for all early calls and ends all access traces.
  void await();
  /// Waits for the early calls that must end before a call of this thread that gets data at these addresses.
  void await(std::span<const void* const> data);

 private:
  ProgressEngine& progress_;
  std::vector<overlap::guard::Mechanism> guards_;
  overlap::EarlyReturnJobs jobs_;
  select::AccessLog log_;
  LateFailures failures_;
  MultithreadedUse multithreaded_use_;
  bool is_multithreaded_ = false;
};

}  // namespace tutti::mpi
