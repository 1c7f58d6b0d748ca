#pragma once
// File that one rank writes at the end of a recorded run (DESIGN §6b; docs/recorder.md has the format byte by byte):
//
//   "TUTTIREC"                          8 bytes
//   version, bytes of the description   4 bytes each, little-endian
//   the description                     JSON: RankDescription
//   spaces up to a multiple of 32
//   the records                         32 bytes each: PackedRecord
//
// The description states the number of records, so that a truncated file is recognised.

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

/// A code location: a loaded file and an address in it, as in the file's symbol table.
struct CodeLocation {
  std::string module;    // its path; empty: unknown
  std::string function;  // the nearest exported function, if there is one
  uint64_t offset = 0;   // address in the file's own numbering
};

/// What was called, from which call site, on which communicator, and what served it.
struct Row {
  uint32_t place = 0;         // in `places`
  uint32_t communicator = 0;  // in `communicators`
  /// 0: calls on the communicator; others: its persistent requests, numbered in the order of their creation.
  uint32_t stream = 0;
  MessageCall message = MessageCall::none;  // none: a collective
  algorithm::Collective collective = algorithm::Collective::barrier;
  select::CallInterface interface = select::CallInterface::blocking;
  std::string choice,
      reason;  // as in reports; for messages `choice` is the name of the MPI call, if it is known
};

/// A communicator has the same members, number and generation in the files of all its ranks.
struct CommunicatorDescription {
  std::string name;               // name set by the program; empty: none
  uint32_t number = 0;            // assigned by Tutti; k_unnumbered: Tutti does not serve it
  uint32_t generation = 0;        // index among those with the same members and number
  uint32_t rank = 0;              // this rank's number in the communicator
  std::vector<uint32_t> members;  // ranks in MPI_COMM_WORLD
  static constexpr uint32_t k_unnumbered = UINT32_MAX;
};

/// The common clock (that of rank 0's machine) is this machine's clock plus `offset_ns`, with an error of at most
/// `error_ns`.
struct ClockSample {
  uint64_t at_ns = 0;  // by this machine's clock
  int64_t offset_ns = 0;
  uint64_t error_ns = 0;
};

struct RankDescription {
  uint64_t run = 0;  // identifier that all files of one run have in common
  uint32_t rank = 0, ranks = 1;
  uint32_t node = 0, nodes = 1;
  uint32_t machine = 0;  // machine whose clock is used; TUTTI_NODES can present several nodes on one
  std::string host, program, mpi, job;
  int64_t started_unix_s = 0;
  uint64_t began_ns = 0, ended_ns = 0;  // by this machine's clock
  /// "MPI_Finalize", "exit", "SIGTERM", "MPI_Abort"; empty: the process ended without writing its final file.
  std::string ended_by;
  uint64_t finalize_ns = 0;        // the program entered MPI_Finalize; 0: it did not, or that is not known
  std::vector<ClockSample> clock;  // none: the clocks have not been compared
  uint32_t sampled_every = 1;
  bool keeps_newest = true;
  uint64_t taken = 0;                   // records that were begun
  uint64_t records = 0;                 // number of records in the file
  uint64_t communicators_left_out = 0;  // not recorded because there were too many
  std::vector<std::string> chain;       // other interposed libraries between the program and the MPI
  std::vector<CodeLocation> places;
  std::vector<CommunicatorDescription> communicators;
  std::vector<Row> rows;
  std::string selection;  // results of run-time selection as in the report (JSON); rank 0 only
};

/// Name of a rank's file in the folder of a run: "calls.3.rec".
std::string rank_file_name(uint32_t rank);
/// Name of a rank's live file (live_file.hpp): "calls.3.live". It exists until the process has ended normally.
std::string live_file_name(uint32_t rank);
/// Sets `rank` to the rank in such a name. Returns false for other names.
bool parse_rank_file_name(std::string_view name, uint32_t* rank);
bool parse_live_file_name(std::string_view name, uint32_t* rank);

/// Contents of the complete file.
std::string rank_file(const RankDescription& description, std::span<const PackedRecord> records);

/// Lines of a live file. The line of the description holds what is known when the run begins.
std::string line_of(const RankDescription& description);
std::string line_of(const CommunicatorDescription& communicator);
std::string line_of(const CodeLocation& place);
std::string line_of(const Row& row);
/// Parses such lines; an incomplete last line is ignored. Error: as parse_beginning().
base::Result<RankDescription> parse_lines(std::string_view lines);

/// The description of a file, and the offset of its records.
struct Beginning {
  RankDescription description;
  uint64_t records_at = 0;  // bytes
};
/// `text`: the beginning of the file, at least k_most_description bytes of a longer file. Checks consistency: every row
/// has a place and a communicator, and every communicator contains this rank. Error: invalid_argument, what is wrong.
base::Result<Beginning> parse_beginning(std::string_view text);
inline constexpr uint64_t k_most_description = uint64_t{64} << 20;
inline constexpr uint32_t k_most_ranks = 1U << 18;
/// Limit for the members of all communicators of a rank together.
inline constexpr uint64_t k_most_members = uint64_t{1} << 26;

}  // namespace tutti::record
