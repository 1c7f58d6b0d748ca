#pragma once
// Fast path of a blocking collective that the native MPI serves.

#include <mpi.h>

#include <cstdint>

#include "algorithm/request.hpp"
#include "base/clock.hpp"
#include "collective/mpi/data/arguments.hpp"
#include "collective/report.hpp"
#include "mpi/call/call.hpp"
#include "mpi/communicator/communicator.hpp"
#include "mpi/runtime/runtime.hpp"

namespace tutti::mpi {

/// Shortest path: a call on MPI_COMM_WORLD with the count and datatype of the previous one, which only has to be
/// counted. After a system call, branches dominate the cost, because the processor mispredicts them. Used by one
/// thread.
class PlainCall {
 public:
  struct Words {
    int64_t count;
    MPI_Datatype datatype;
  };
  /// The arguments by which QuietCall distinguishes calls.
  static Words words() { return {0, MPI_DATATYPE_NULL}; }
  static Words words(int64_t count, MPI_Datatype datatype) { return {count, datatype}; }
  static bool is_rank_of_world(int rank) { return NativeWords::rank_in_world == rank; }

  [[gnu::always_inline]] PlainCall(algorithm::Collective collective, MPI_Comm comm, Words words) {
    const NativeWords& known = NativeWords::of_world[static_cast<size_t>(collective)];
    line_ = known.line;
    bytes_ = known.bytes;
    // One branch for all conditions.
    const bool is_same = (comm == MPI_COMM_WORLD) & (words.count == known.count) &
                         (words.datatype == known.datatype) & known.is_plain;
    is_taken_ = is_same && base::ShortWay::is_open() && !line_->is_next_timed();
  }
  bool is_taken() const { return is_taken_; }

  /// The native call has returned `result`, which is returned.
  [[gnu::always_inline]] int ended(int result) {
    if (result != MPI_SUCCESS) [[unlikely]]
      return refused(result);
    line_->count_alone(bytes_);
    Runtime::world()->count_call();
    return result;
  }

 private:
  int refused(int result);

  collective::ReportLine* line_;
  uint64_t bytes_;
  bool is_taken_;
};

/// A blocking call that no rule applies to, that is not a trial, and that no observer has to see individually: it is
/// only counted, and timed as often as its report line requests. If takes_*() is false, the entry point creates a Call
/// (call.hpp). A call with the count and datatype of the previous one (NativeWords) is not examined again, because some
/// native calls take only 50 ns. Used by one thread.
class QuietCall {
 public:
  QuietCall(algorithm::Collective collective, Communicator& communicator)
      : communicator_(communicator),
        words_(*communicator.native_words(collective)),
        collective_(collective) {}

  /// The functions derive the size (select::bytes_of_interest()) from the arguments for a message; for a vector that is
  /// reduced (elements with their padding); for one block of such a vector for each rank; for messages or blocks of a
  /// different length for each rank; or for no data; unsized: only some ranks know the size. False: the call does not
  /// qualify, or the MPI has to refuse its arguments.
  [[gnu::always_inline]] bool takes_message(int64_t count, MPI_Datatype datatype) {
    return is_known(count, datatype) || learn_message(count, datatype);
  }
  [[gnu::always_inline]] bool takes_vector(int64_t count, MPI_Datatype datatype) {
    return is_known(count, datatype) || learn_vector(count, 1, datatype);
  }
  [[gnu::always_inline]] bool takes_equal_blocks(int64_t count, MPI_Datatype datatype) {
    return is_known(count, datatype) || learn_vector(count, communicator_.size(), datatype);
  }
  bool takes_messages(Numbers counts, MPI_Datatype datatype) {
    int64_t sum = 0;
    return add_up(counts, &sum) && (is_known(sum, datatype) || learn_messages(sum, datatype));
  }
  bool takes_blocks(Numbers counts, MPI_Datatype datatype) {
    int64_t sum = 0;
    return add_up(counts, &sum) && takes_vector(sum, datatype);
  }
  [[gnu::always_inline]] bool takes_nothing() {
    return is_known(0, MPI_DATATYPE_NULL) || learn(0, MPI_DATATYPE_NULL, 0);
  }
  [[gnu::always_inline]] bool takes_unsized() {
    return is_known(0, MPI_DATATYPE_NULL) || learn(0, MPI_DATATYPE_NULL, 0, k_size_is_unknown);
  }

  /// The native call has returned `result`, which is returned.
  [[gnu::always_inline]] int ended(int result) {
    if (result != MPI_SUCCESS || !is_plain_) [[unlikely]]
      return ended_otherwise(result);
    line_->count_alone(bytes_);
    communicator_.count_call();
    return result;
  }

 private:
  static constexpr bool k_size_is_unknown = false;

  [[gnu::always_inline]] bool is_known(int64_t count, MPI_Datatype datatype) {
    if (words_.count != count || words_.datatype != datatype) [[unlikely]]
      return false;
    return begins();
  }
  /// Sums up the ranks' counts. False: one is negative, the sum overflows, or there is no array.
  bool add_up(const Numbers& counts, int64_t* sum) const {
    if (counts.is_null()) return false;
    for (int r = 0; r < communicator_.size(); ++r)
      if (counts[r] < 0 || __builtin_add_overflow(*sum, counts[r], sum)) return false;
    return true;
  }
  bool learn_message(int64_t count, MPI_Datatype datatype);
  bool learn_messages(int64_t count_of_all, MPI_Datatype datatype);
  bool learn_vector(int64_t count, int blocks, MPI_Datatype datatype);
  bool learn(int64_t count, MPI_Datatype datatype, uint64_t bytes, bool bytes_known = true);
  /// False: the number of calls that may pass is used up.
  [[gnu::always_inline]] bool begins() {
    line_ = words_.line;
    bytes_ = words_.bytes;
    is_plain_ = words_.is_plain && !line_->is_next_timed();
    if (is_plain_) [[likely]]
      return true;
    return begins_otherwise();
  }
  bool begins_otherwise();
  int ended_otherwise(int result);

  Communicator& communicator_;
  NativeWords& words_;  // of the latest call, which may be one of an error handler
  algorithm::Collective collective_;
  // Set by begins().
  bool is_plain_;  // the call only has to be counted, by one thread
  uint64_t bytes_;
  collective::ReportLine* line_;
  // Set if the call is not plain.
  uint64_t started_ns_;  // 0: it is not timed
  collective::PassingCalls* limited_;
};

}  // namespace tutti::mpi
