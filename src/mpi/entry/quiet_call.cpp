#include "mpi/entry/quiet_call.hpp"

#include "base/clock.hpp"
#include "dispatch/report.hpp"
#include "mpi/data/buffers.hpp"
#include "mpi/data/datatype.hpp"
#include "mpi/entry/call.hpp"
#include "mpi/lifecycle/runtime.hpp"

namespace tutti::mpi {

bool QuietCall::takes(int64_t count, MPI_Datatype datatype) {
  Type type;
  uint64_t bytes = 0;
  return measure(count, datatype, &type, &bytes) && begin(bytes);
}

bool QuietCall::takes_vector(int64_t count, MPI_Datatype datatype) {
  Type type;
  uint64_t bytes = 0;
  return count >= 0 && describe(datatype, &type) &&
         !__builtin_mul_overflow(static_cast<uint64_t>(count), static_cast<uint64_t>(type.extent), &bytes) &&
         begin(bytes);
}

bool QuietCall::begin(uint64_t bytes) {
  const Runtime& runtime = communicator_.runtime();
  const dispatch::Observers& observers = runtime.observers();
  const std::string* reason = nullptr;
  if (observers.time_every_call() ||
      !communicator_.decisions().goes_native(collective_, bytes, true, CallKind::blocking, &reason))
    return false;
  bytes_ = bytes;
  if (observers.is_empty()) return true;
  line_ = communicator_.runtime().report()->native_line(collective_, CallKind::blocking,
                                                        dispatch::Report::size_class_of(bytes, true), reason);
  weight_ = line_->weight_of_next();
  if (weight_ != 0) started_ns_ = base::monotonic_ns();
  return true;
}

int QuietCall::ended(int result) {
  if (line_ != nullptr) {
    const uint64_t ns = weight_ == 0 ? 0 : (base::monotonic_ns() - started_ns_) * weight_;
    // Lines of blocking calls are those of the program's threads.
    if (communicator_.runtime().is_multithreaded())
      line_->add(bytes_, ns);
    else
      line_->add_alone(bytes_, ns);
  }
  if (has_taken_place(result)) {
    communicator_.count_call();
    communicator_.decisions().quiet_is_over(collective_, bytes_);
  }
  return result;
}

}  // namespace tutti::mpi
