#pragma once
// Records the order in which a program first uses the parts of the result of a call that has waited for it (ADR 17).

#include <cstddef>
#include <vector>

#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "collective/observer.hpp"
#include "mpi/communicator/communicator.hpp"
#include "overlap/guard/guard.hpp"

namespace tutti::mpi {

/// The trace of one call. Used by one thread.
class UseTrace {
 public:
  UseTrace(const algorithm::Request& request, const Communicator& communicator);

  /// Starts the trace when the result is in `output`: a guard protects it, and the first use of each part is recorded
  /// for the recorder of the event's answer. Error: not_supported: no guard can protect it; nothing is recorded.
  base::Status begin(Communicator& communicator, const collective::CallEvent& event, std::byte* output) const;

 private:
  int blocks_;
  std::vector<overlap::guard::Part> parts_;
};

}  // namespace tutti::mpi
