#pragma once
// What one rank leaves behind of a recorded run (DESIGN §6b; docs/recorder.md has the format byte by byte):
//
//   "TUTTIREC"                          8 bytes
//   version, bytes of the description   4 bytes each, little-endian
//   the description                     JSON: RankDescription
//   spaces up to a multiple of 32
//   the records                         32 bytes each: PackedRecord
//
// The description says how many records follow, so that a file that was cut off is known as such.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "record/call_record.hpp"
#include "select/candidate.hpp"

namespace tutti::record {

inline constexpr std::string_view k_magic = "TUTTIREC", k_live_magic = "TUTTILIV";
inline constexpr uint32_t k_version = 1;

/// A place in the code: a loaded file and an address in it as its symbol table has them.
struct Place {
  std::string module;    // its path; empty: unknown
  std::string function;  // the nearest exported one, where there is one
  uint64_t offset = 0;   // in the file's own addresses
};

/// What was called, from where, on which communicator, and who served it.
struct Row {
  uint32_t place = 0;         // in `places`
  uint32_t communicator = 0;  // in `communicators`
  /// 0: the calls of the communicator; others: its persistent requests, numbered as they were made.
  uint32_t stream = 0;
  MessageCall message = MessageCall::none;  // none: a collective's
  algorithm::Collective collective = algorithm::Collective::barrier;
  select::CallKind interface = select::CallKind::blocking;
  std::string choice,
      reason;  // as in reports; of messages `choice` is the name of the call, where it is known
};

/// The same communicator has the same members, number and generation in the files of all of them.
struct CommunicatorDescription {
  std::string name;               // what the program calls it; empty: nothing
  uint32_t number = 0;            // that Tutti has given it; k_unnumbered: it does not serve it
  uint32_t generation = 0;        // among those with the same members and number
  uint32_t rank = 0;              // this rank's in it
  std::vector<uint32_t> members;  // ranks in MPI_COMM_WORLD
  static constexpr uint32_t k_unnumbered = UINT32_MAX;
};

/// The common clock, that of rank 0's machine, is this machine's plus `offset_ns`, off by `error_ns` at most.
struct ClockSample {
  uint64_t at_ns = 0;  // by this machine's
  int64_t offset_ns = 0;
  uint64_t error_ns = 0;
};

struct RankDescription {
  uint64_t run = 0;  // a number that all files of one run have in common
  uint32_t rank = 0, ranks = 1;
  uint32_t node = 0, nodes = 1;
  uint32_t machine = 0;  // whose clock it is; several nodes may be presented on one (TUTTI_NODES)
  std::string host, program, mpi, job;
  int64_t started_unix_s = 0;
  uint64_t began_ns = 0, ended_ns = 0;  // by this machine's clock
  /// "MPI_Finalize", "exit", "SIGTERM", "MPI_Abort"; empty: the process has left no word.
  std::string ended_by;
  std::vector<ClockSample> clock;  // none: the clocks have not been compared
  uint32_t sampled_every = 1;
  bool keeps_newest = true;
  uint64_t taken = 0;                   // records that were begun
  uint64_t records = 0;                 // that are in the file
  uint64_t communicators_left_out = 0;  // whose calls were not recorded: there were too many
  std::vector<std::string> chain;       // other libraries that stand in front of the MPI
  std::vector<Place> places;
  std::vector<CommunicatorDescription> communicators;
  std::vector<Row> rows;
  std::string selection;  // what run-time selection found, as the report has it (JSON); of rank 0
};

/// "calls.3.rec": in the folder of a run.
std::string rank_file_name(uint32_t rank);
/// "calls.3.live": before its process has ended in order (live_file.hpp).
std::string live_file_name(uint32_t rank);
/// The rank in such a name; false for other names.
bool parse_rank_file_name(std::string_view name, uint32_t* rank);
bool parse_live_file_name(std::string_view name, uint32_t* rank);

/// The whole file.
std::string rank_file(const RankDescription& description, std::span<const PackedRecord> records);

/// Lines of a live file. Of the description only what is known when the run begins.
std::string line_of(const RankDescription& description);
std::string line_of(const CommunicatorDescription& communicator);
std::string line_of(const Place& place);
std::string line_of(const Row& row);
/// What such lines say; a last one that is cut off does not count. Error: as parse_beginning().
base::Result<RankDescription> parse_lines(std::string_view lines);

/// The beginning of a file, and how long it is. Errors: invalid_argument, what is wrong with it.
struct Beginning {
  RankDescription description;
  uint64_t records_at = 0;  // bytes
};
/// `text`: as much of the file as is there, at least k_most_description bytes if it is longer. Reads nothing that does
/// not fit together: every row has a place and a communicator, every communicator this rank.
base::Result<Beginning> parse_beginning(std::string_view text);
inline constexpr uint64_t k_most_description = uint64_t{64} << 20;
inline constexpr uint32_t k_most_ranks = 1U << 18;
/// Of all communicators of a rank together.
inline constexpr uint64_t k_most_members = uint64_t{1} << 26;

}  // namespace tutti::record
