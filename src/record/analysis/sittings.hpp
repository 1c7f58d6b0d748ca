#pragma once
// Where the ranks of a run that did not finish were at its end, and what keeps them from going on.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "record/analysis/analysis.hpp"
#include "record/analysis/symbols.hpp"

namespace tutti::record::analysis {

using Ranks = std::vector<uint32_t>;

/// Ranks in one call that has not ended.
struct Sitting {
  const CallInstance* call = nullptr;  // nullptr: not a collective
  const OpenWait* wait = nullptr;      // nullptr: a blocking collective
  std::string text;                    // "barrier in main (a.c:3)", "MPI_Recv from rank 2"
  Ranks inside, absent;                // absent: members that have not entered the call of all members
  int64_t since_ns = INT64_MIN;        // arrival of the last one
};

struct Sittings {
  std::vector<Sitting> all;
  Ranks inside, outside;  // ranks that did not finish: in a recorded call, or in none

  Ranks finalized;  // ranks that have come to MPI_Finalize

  bool is_outside(uint32_t rank) const { return std::ranges::binary_search(outside, rank); }
  /// Whether the rank comes to no other call.
  bool is_gone(uint32_t rank) const {
    return is_outside(rank) || std::ranges::find(finalized, rank) != finalized.end();
  }
};

/// `unfinished` and `finalized`: ranks that did not come to MPI_Finalize, and those that did.
Sittings sittings_of(const Analysis& of, const Ranks& unfinished, const Ranks& finalized, Symbols* symbols);

/// "barrier in main (a.c:3)".
std::string call_text(const Analysis& of, const MemberCall& one, Symbols* symbols);

/// Which ranks were in which call, and which in none. `goes_on`: the run has not ended.
std::string where_text(const Sittings& sittings, bool goes_on);

/// A sentence on what keeps the ranks of a run that hangs, of which at least one is in a call.
std::string hung_advice(const Analysis& of, const Sittings& sittings);

}  // namespace tutti::record::analysis
