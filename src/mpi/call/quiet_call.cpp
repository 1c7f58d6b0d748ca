#include "mpi/call/quiet_call.hpp"

#include "collective/mpi/data/buffers.hpp"
#include "collective/mpi/data/datatype.hpp"

namespace tutti::mpi {

int PlainCall::refused(int result) {
  line_->count_alone(bytes_);
  if (has_taken_place(result)) Runtime::world()->count_call();
  return result;
}

bool QuietCall::learn_message(int64_t count, MPI_Datatype datatype) {
  uint64_t bytes = 0;
  return measure(count, datatype, &bytes) && learn(count, datatype, bytes);
}

bool QuietCall::learn_messages(int64_t count_of_all, MPI_Datatype datatype) {
  uint64_t bytes = 0;
  return measure(count_of_all, datatype, &bytes) &&
         learn(count_of_all, datatype, bytes / static_cast<uint64_t>(communicator_.size()));
}

bool QuietCall::learn_vector(int64_t count, int blocks, MPI_Datatype datatype) {
  Type type;
  uint64_t bytes = 0;
  return measure_vector(count, datatype, &type, &bytes) &&
         !__builtin_mul_overflow(bytes, static_cast<uint64_t>(blocks), &bytes) &&
         learn(count, datatype, bytes);
}

bool QuietCall::learn(int64_t count, MPI_Datatype datatype, uint64_t bytes, bool bytes_known) {
  Runtime& runtime = communicator_.runtime();
  const collective::Observers& observers = runtime.observers();
  const std::string* reason = nullptr;
  if (observers.time_every_call() || !communicator_.dispatcher().goes_native(
                                         collective_, bytes, bytes_known, CallInterface::blocking, &reason))
    return false;
  collective::ReportLine* line = nullptr;
  if (!observers.is_empty())
    line = runtime.report()->native_line(collective_, CallInterface::blocking,
                                         collective::Report::size_class_of(bytes, bytes_known), reason);
  collective::PassingCalls* const limited =
      communicator_.dispatcher().limited_calls(collective_, bytes, bytes_known);
  words_ = {.datatype = datatype,
            .count = is_own_name(datatype) ? count : NativeWords::k_no_count,
            .bytes = bytes,
            .line = line,
            .limited = limited,
            // Only the program's threads add to lines of blocking calls.
            .is_plain = line != nullptr && limited == nullptr && !runtime.is_multithreaded()};
  return begins();
}

bool QuietCall::begins_otherwise() {
  limited_ = words_.limited;
  if (limited_ != nullptr && !limited_->is_any()) return false;
  started_ns_ = line_ != nullptr && line_->is_next_timed() ? base::monotonic_ns() : 0;
  return true;
}

int QuietCall::ended_otherwise(int result) {
  if (is_plain_) {  // a plain call that failed: begins_otherwise() has not set these members
    limited_ = nullptr;
    started_ns_ = 0;
  }
  if (line_ != nullptr) {
    if (communicator_.runtime().is_multithreaded())
      line_->count(bytes_);
    else
      line_->count_alone(bytes_);
    if (started_ns_ != 0) line_->add_time(base::monotonic_ns() - started_ns_);
  }
  if (result == MPI_SUCCESS || has_taken_place(result)) {
    communicator_.count_call();
    if (limited_ != nullptr) limited_->count();
  }
  return result;
}

}  // namespace tutti::mpi
