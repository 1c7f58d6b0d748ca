#pragma once
// Puts the records of all ranks together to calls.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "record/analysis/call_instance.hpp"
#include "record/run_files.hpp"

namespace tutti::record::analysis {

/// Places, choices and communicators of a run, numbered once for all ranks.
struct RunTables {
  std::vector<Place> places;  // 0: unknown
  struct Served {
    std::string choice, reason;
  };
  std::vector<Served> choices;
  std::vector<Group> groups;

  /// Of each file found: the numbers of its own tables' entries.
  struct OfRank {
    std::vector<uint32_t> places, choices, groups;  // choices: by row
  };
  std::vector<OfRank> of_found;

  explicit RunTables(const RunFiles& run);
};

struct Assembled {
  uint64_t records = 0;
  uint64_t calls = 0;       // that were complete
  uint64_t incomplete = 0;  // of which a rank's record is missing, though it left a file
  /// Calls in which a rank still was when the run ended, complete or not: all that block, and the last one of each
  /// communicator of those that do not and are not complete.
  std::vector<CallInstance> unfinished;
  std::vector<OpenWait> open_waits;  // beside collectives, of processes that did not reach MPI_Finalize
  std::vector<uint64_t>
      impossible;  // of each file found: records whose numbers cannot be, which do not count
};

/// Hears of each call whose records are all there, and of each wait for messages, about in the order of time: of those
/// that do not block when the last rank has begun to wait, of messages when they have come.
struct Visitor {
  std::function<void(const CallInstance&)> call;
  std::function<void(const MessageWait&)> message;  // may be empty
};

/// A rank that left no file is not waited for. Time is linear in the records; memory holds the calls that some ranks
/// have made and others not yet, at most k_most_open records of them.
inline constexpr uint64_t k_most_open = uint64_t{4} << 20;
Assembled assemble(const RunFiles& run, const RunTables& tables, const Visitor& visitor);

}  // namespace tutti::record::analysis
