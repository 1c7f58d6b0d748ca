#pragma once
// Combines the records of all ranks into calls.

#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "record/analysis/call_instance.hpp"
#include "record/run_files.hpp"

namespace tutti::record::analysis {

/// Code locations, choices and communicators of a run, numbered once for all ranks.
struct RunTables {
  std::vector<CodeLocation> places;  // 0: unknown
  struct Served {
    std::string choice, reason;
  };
  std::vector<Served> choices;
  std::vector<RecordedCommunicator> groups;
  /// MPI functions that the program has called for each MessageCall ("MPI_Wait or MPI_Waitall"). A record may lack the
  /// name of its own.
  std::array<std::string, std::size(k_message_calls)> message_names;

  /// For each file found: the common numbers of its own tables' entries.
  struct OfRank {
    std::vector<uint32_t> places, choices, groups;  // choices: by row
  };
  std::vector<OfRank> of_found;

  explicit RunTables(const RunFiles& run);
};

struct Assembled {
  uint64_t records = 0;
  uint64_t calls = 0;       // complete ones
  uint64_t incomplete = 0;  // with a record missing of a rank that left a file
  /// Calls that a rank had not left when the run ended, complete or not: all blocking ones, and for each communicator
  /// the last incomplete nonblocking one.
  std::vector<CallInstance> unfinished;
  std::vector<OpenWait> open_waits;  // beside collectives; only of processes that did not reach MPI_Finalize
  std::vector<int64_t>
      last_signs_ns;  // for each found file: when its last call began, or ended; INT64_MIN: none
  std::vector<uint64_t> impossible;  // for each file found: number of ignored records with impossible values
};

/// Receives each complete call and each wait for messages, approximately in time order: a nonblocking call when the
/// last rank has begun to wait for it, a wait for messages when it ends.
struct Visitor {
  std::function<void(const CallInstance&)> call;
  std::function<void(const MessageWait&)> message;  // may be empty
};

/// A call is complete without the ranks that left no file. Time is linear in the number of records. Memory holds the
/// calls that only some ranks have made so far, with at most k_most_open records.
inline constexpr uint64_t k_most_open = uint64_t{4} << 20;
Assembled assemble(const RunFiles& run, const RunTables& tables, const Visitor& visitor);

}  // namespace tutti::record::analysis
