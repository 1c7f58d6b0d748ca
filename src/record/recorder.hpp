#pragma once
// Records when each rank enters which collective call (paper 000 §4.2; DESIGN §6b).
//
// A call costs one record of 32 bytes, without a lock, an allocation or a system call, except for a new row and once
// per 1 MiB of records. Calls that are pending when the run ends are recorded without an end, which shows where a
// program hangs or was killed. During the run the records lie in a file (live_file.hpp).

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "record/communicator_list.hpp"
#include "record/live_file.hpp"
#include "record/modules.hpp"
#include "record/operation_counter.hpp"
#include "record/rank_file.hpp"
#include "record/ring.hpp"
#include "record/row_table.hpp"

namespace tutti::record {

struct RecorderOptions {
  uint64_t bytes = uint64_t{32} << 20;  // size of the ring
  bool keeps_newest = true;
  uint32_t every = 1;  // records the first of every so many calls of a communicator, alike on all ranks
  Modules::Program program = {};
};

/// A call that has begun.
struct BegunCall {
  const void* caller = nullptr;
  OperationCounter* counter = nullptr;
  algorithm::Collective collective = algorithm::Collective::barrier;
  select::CallInterface interface = select::CallInterface::blocking;
  uint64_t arrival_ns = 0;
};

/// Identifies a record. The caller keeps it from begin() on.
struct CallTicket {
  Ring::Ticket place = Ring::k_none;
  uint32_t sequence = 0;
};

/// Data of a call that is known when the call has ended.
struct EndedCall {
  ServingChoice choice;
  uint64_t inside_ns = k_unknown_ns, whole_ns = k_unknown_ns;  // as in CallRecord
  uint64_t bytes = 0;
  uint32_t root = k_no_root;
};

/// Any thread.
class Recorder {
 public:
  /// `file`: stores the records as far as the file system has room; nullptr: they lie in memory. `description`: what is
  /// known of the rank, for the file. Error: out_of_memory.
  static base::Result<std::unique_ptr<Recorder>> make(const RecorderOptions& options,
                                                      std::unique_ptr<LiveFile> file = nullptr,
                                                      const RankDescription& description = {});

  CommunicatorList& communicators() { return communicators_; }

  CallTicket begin(const BegunCall& call);
  void end(const BegunCall& call, CallTicket ticket, const EndedCall& ended);
  /// Replaces the durations given to end(): the program has learned of the completion of a nonblocking call, or an
  /// operation has ended whose call had returned early. `inside_ns`: k_unknown_ns keeps the recorded one.
  void complete(CallTicket ticket, uint64_t arrival_ns, uint64_t inside_ns, uint64_t whole_ns);
  /// The MPI has rejected the call, possibly on this rank only: its record is void.
  void refused(const BegunCall& call, CallTicket ticket);

  /// A wait of the program for a message of `peer`, a rank of the communicator.
  struct Message {
    MessageCall call = MessageCall::none;
    const OperationCounter* counter = nullptr;
    uint32_t peer = k_no_root;
    uint64_t arrival_ns = 0, inside_ns = 0;
    const std::string* name = nullptr;  // of the MPI function; must outlive the recorder
  };
  void message(const Message& of);
  /// The program begins such a wait, whose duration is not known yet. Result: for close().
  size_t open(const Message& of);
  /// The call has ended. A record of it is added only by message().
  void close(size_t open) { ring_->close(open); }
  static constexpr size_t k_not_open = Ring::k_cells;

  /// Returns the records, and adds the recorder's fields to the description; the caller fills the others.
  std::vector<PackedRecord> take(RankDescription* description);
  /// Removes the live file, once the result of take() has been stored.
  void remove_file();

 private:
  Recorder(std::unique_ptr<Ring> ring, const RecorderOptions& options, std::unique_ptr<LiveFile> file);
  bool is_recorded(uint32_t sequence) const { return sequence % options_.every == 0; }

  uint32_t row_of(const BegunCall& call, const ServingChoice& choice);
  uint32_t row_of(const Message& of);

  std::unique_ptr<LiveFile> file_;  // nullptr: none
  std::unique_ptr<Ring> ring_;
  const RecorderOptions options_;
  Modules modules_;  // under the lock of rows_
  RowTable rows_;
  CommunicatorList communicators_;
};

}  // namespace tutti::record
