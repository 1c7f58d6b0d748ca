#include "mpi/entry/quiet_call.hpp"

#include "mpi/data/buffers.hpp"
#include "mpi/data/datatype.hpp"

namespace tutti::mpi {

bool QuietCall::learn_message(int64_t count, MPI_Datatype datatype) {
  Type type;
  uint64_t bytes = 0;
  return measure(count, datatype, &type, &bytes) && learn(count, datatype, bytes);
}

bool QuietCall::learn_messages(int64_t count_of_all, MPI_Datatype datatype) {
  Type type;
  uint64_t bytes = 0;
  return measure(count_of_all, datatype, &type, &bytes) &&
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
  const dispatch::Observers& observers = runtime.observers();
  const std::string* reason = nullptr;
  if (observers.time_every_call() ||
      !communicator_.decisions().goes_native(collective_, bytes, bytes_known, CallKind::blocking, &reason))
    return false;
  dispatch::ReportLine* line = nullptr;
  if (!observers.is_empty())
    line = runtime.report()->native_line(collective_, CallKind::blocking,
                                         dispatch::Report::size_class_of(bytes, bytes_known), reason);
  words_ = {.datatype = datatype,
            .count = is_own_name(datatype) ? count : NativeWords::k_no_count,
            .bytes = bytes,
            .line = line,
            // Lines of blocking calls are those of the program's threads.
            .is_line_shared = runtime.is_multithreaded(),
            .limited = communicator_.decisions().limited_calls(collective_, bytes, bytes_known)};
  begin();
  return true;
}

}  // namespace tutti::mpi
