#pragma once
// How a run ended, and which calls its ranks were in at that time.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "record/analysis/analysis.hpp"
#include "record/analysis/symbols.hpp"

namespace tutti::record::analysis {

struct Ending {
  bool is_finalized = false;  // all ranks that left files reached MPI_Finalize
  bool has_awaited = false;   // ranks were in calls when it ended
  std::string how;            // "finalized", "MPI_Abort on rank 2", …
  std::string where;          // "ranks 0-2 sat in allreduce in main (a.c:12), rank 3 in no MPI call that is
                              // recorded"; or empty
  std::string advice;         // a sentence; or empty
};
Ending ending_of(const Analysis& analysis, Symbols* symbols);

/// "rank 3", "ranks 0-2, 5".
std::string ranks_text(const std::vector<uint32_t>& sorted);

}  // namespace tutti::record::analysis
