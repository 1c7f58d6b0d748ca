#pragma once
// What a program uses first of the result of a call that has waited for it (ADR 17).

#include <cstddef>
#include <vector>

#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "dispatch/observer.hpp"
#include "mpi/lifecycle/communicator.hpp"
#include "overlap/guard/guard.hpp"

namespace tutti::mpi {

/// Of one call. One thread's business.
class UseTrace {
 public:
  UseTrace(const algorithm::Request& request, const Communicator& communicator);

  /// The result is there, at `output`: a guard takes it, and from now on the first use of each part is recorded, for
  /// the recorder of the event's answer. not_supported: where no guard takes it; nothing is recorded.
  base::Status begin(Communicator& communicator, const dispatch::CallEvent& event, std::byte* output) const;

 private:
  int blocks_;
  std::vector<overlap::guard::Part> parts_;
};

}  // namespace tutti::mpi
