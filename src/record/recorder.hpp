#pragma once
// Writes down who comes when to which collective call of one process (paper 000 §4.2; DESIGN §6b).
//
// A call costs one record of 32 bytes: no lock, no allocation, no system call, but for a row that is new, and once in
// 1 MiB of records. What is under way when the run ends is there, too, without an end: where a program hangs or is
// killed, that is the answer. All of it lies in a file meanwhile (live_file.hpp).

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "record/communicator_list.hpp"
#include "record/live_file.hpp"
#include "record/modules.hpp"
#include "record/rank_file.hpp"
#include "record/ring.hpp"
#include "record/row_table.hpp"
#include "record/track.hpp"

namespace tutti::record {

struct RecorderOptions {
  uint64_t bytes = uint64_t{32} << 20;  // of memory
  bool keeps_newest = true;
  uint32_t every = 1;  // the first of so many calls of a communicator is recorded, the same on all ranks
};

/// A call that has begun.
struct BegunCall {
  const void* caller = nullptr;
  Track* track = nullptr;
  algorithm::Collective collective = algorithm::Collective::barrier;
  select::CallKind interface = select::CallKind::blocking;
  uint64_t arrival_ns = 0;
};

/// What finds a call again. The caller keeps it from begin() on.
struct CallTicket {
  Ring::Ticket place = Ring::k_none;
  uint32_t sequence = 0;
};

/// What is known when it is over.
struct EndedCall {
  Choice choice;
  uint64_t inside_ns = k_unknown_ns, whole_ns = k_unknown_ns;  // as in CallRecord
  uint64_t bytes = 0;
  uint32_t root = k_no_root;
};

/// Any thread.
class Recorder {
 public:
  /// `file`: holds what is recorded, as far as there is room for it; nullptr: memory does. `description`: what is known
  /// of the rank, for the file. Error: out_of_memory.
  static base::Result<std::unique_ptr<Recorder>> make(const RecorderOptions& options,
                                                      std::unique_ptr<LiveFile> file = nullptr,
                                                      const RankDescription& description = {});

  CommunicatorList& communicators() { return communicators_; }

  CallTicket begin(const BegunCall& call);
  void end(const BegunCall& call, CallTicket ticket, const EndedCall& ended);
  /// The program knows of the end of a call that does not block, or an operation has ended whose call had returned
  /// before: other durations than end() was told. `inside_ns`: k_unknown_ns leaves it as it is.
  void complete(CallTicket ticket, uint64_t arrival_ns, uint64_t inside_ns, uint64_t whole_ns);
  /// The MPI has refused the call, perhaps on this rank alone.
  void refused(const BegunCall& call, CallTicket ticket);

  /// The program has waited for a message of `peer`, a rank of the communicator.
  struct Message {
    MessageCall call = MessageCall::none;
    const Track* track = nullptr;
    uint32_t peer = k_no_root;
    uint64_t arrival_ns = 0, inside_ns = 0;
    const std::string* name = nullptr;  // of the MPI's function; lives as long as this
  };
  void message(const Message& of);
  /// The program begins to wait so; its time inside is not known yet. Result: for close().
  size_t open(const Message& of);
  /// The call has ended: whether there will be a record of it says message().
  void close(size_t open) { ring_->close(open); }
  static constexpr size_t k_not_open = Ring::k_cells;

  /// What has been recorded: adds to the description, whose other fields the caller knows.
  std::vector<PackedRecord> take(RankDescription* description);
  /// What take() has given is kept elsewhere.
  void remove_file();

 private:
  Recorder(std::unique_ptr<Ring> ring, const RecorderOptions& options, std::unique_ptr<LiveFile> file);
  bool is_recorded(uint32_t sequence) const { return sequence % options_.every == 0; }

  uint32_t row_of(const BegunCall& call, const Choice& choice);
  uint32_t row_of(const Message& of);

  std::unique_ptr<LiveFile> file_;  // nullptr: none
  std::unique_ptr<Ring> ring_;
  const RecorderOptions options_;
  Modules modules_;  // under the lock of rows_
  RowTable rows_;
  CommunicatorList communicators_;
};

}  // namespace tutti::record
