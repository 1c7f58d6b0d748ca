#pragma once
// The short way of a blocking collective that the native MPI serves.

#include <mpi.h>

#include <cstdint>

#include "algorithm/request.hpp"
#include "mpi/lifecycle/communicator.hpp"

namespace tutti::dispatch {
struct ReportLine;
}

namespace tutti::mpi {

/// A blocking call that no rule wants, that is no trial, and that no observer wants to see by itself: it is counted,
/// and measured as often as the report's line wants. What is more is Call's (call.hpp), which the entry point makes
/// where takes() is false. One thread's business.
class QuietCall {
 public:
  QuietCall(algorithm::Collective collective, Communicator& communicator)
      : communicator_(communicator), collective_(collective) {}

  /// The size by what a call says of a message, of a vector that is reduced (elements with their padding), or of none,
  /// as select::bytes_of_interest() has it. False: it is not for here, or the arguments are for the MPI to refuse.
  bool takes(int64_t count, MPI_Datatype datatype);
  bool takes_vector(int64_t count, MPI_Datatype datatype);
  bool takes_nothing() { return begin(0); }

  /// The native call has returned `result`, which it gives back.
  int ended(int result);

 private:
  bool begin(uint64_t bytes);

  Communicator& communicator_;
  algorithm::Collective collective_;
  uint64_t bytes_ = 0, started_ns_ = 0;
  dispatch::ReportLine* line_ = nullptr;  // nullptr: there is no report
  uint32_t weight_ = 0;                   // of its time; 0: it is not measured
};

}  // namespace tutti::mpi
