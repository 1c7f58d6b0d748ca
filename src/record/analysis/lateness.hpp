#pragma once
// What one call says about waiting: who came when, who waited for whom, and for how long (DESIGN §6b).
//
//   all-to-all types   everybody waits for the last one
//   from a root        everybody waits for the root, if that came later
//   to a root          the root waits for the last one, nobody else waits
//   prefixes           a rank waits for the last of the ranks below it
//
// Some MPIs let rooted collectives wait for all ranks inside a node (MPICH's short ones do). So a rank that leaves
// within a quarter of the spread after the last one has come, or at about the same time as that one when most of its
// time had been before, is taken to have waited for that.
//
// A rank that computes between start and end of a call that does not block may hold up the others, too, where the MPI
// makes no progress meanwhile: those that leave soon after the last one has begun to wait have waited for that.
//
// A minimum over the ranks would be wrong for rooted collectives. What is left of a rank's time is transfer.

#include <cstdint>
#include <vector>

#include "record/analysis/call_instance.hpp"

namespace tutti::record::analysis {

struct MemberTimes {
  uint64_t late_ns = 0;      // after the first rank
  uint64_t waiting_ns = 0;   // inside MPI, for ranks that had not come
  uint64_t transfer_ns = 0;  // inside MPI beyond that
  uint64_t hidden_ns = 0;    // under way while the program computed
  uint32_t awaited = 0;      // the rank that it waited for; itself: nobody
  bool is_for_wait = false;  // not until that one had come, but until it waited for the end
};

struct Lateness {
  bool is_judged = false;                  // the spread is larger than twice the error of the clocks
  uint64_t spread_ns = 0;                  // from the first arrival to the last
  uint32_t last = 0;                       // rank of the group
  uint64_t typical_gap_ns = k_unknown_ns;  // median of the ranks' time since their call before
  std::vector<MemberTimes> members;        // by rank of the group; zeros of those that left no record
  /// By rank of the group: how long others waited for it, whoever is to blame. Sums to the waiting of all.
  std::vector<uint64_t> awaited_ns;
};

/// Fills `lateness`, whose memory is used again. Pure otherwise.
void judge(const CallInstance& call, Lateness* lateness);

}  // namespace tutti::record::analysis
