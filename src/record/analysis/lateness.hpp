#pragma once
// Waiting in one call: arrival of each rank, and which rank waited for which other one, and how long (DESIGN §6b).
//
//   all-to-all types   all ranks wait for the last one
//   from a root        all ranks wait for the root, if that came later
//   to a root          the root waits for the last rank, the others do not wait
//   prefixes           a rank waits for the last of the ranks below it
//
// Some MPIs let rooted collectives wait for all ranks inside a node (the short ones of MPICH do). So a rank is taken to
// have waited for the last one if it leaves within a quarter of the spread after that has arrived, or at about the same
// time as that one after at least half of its own time had passed before.
//
// A rank that computes between start and end of a nonblocking call may also delay the others, if the MPI makes no
// progress meanwhile: ranks that leave soon after the last one has begun to wait are taken to have waited for that one.
//
// The minimum over the ranks would be wrong as transfer time for rooted collectives. A rank's time inside MPI beyond
// its waiting is transfer.

#include <cstdint>
#include <vector>

#include "record/analysis/call_instance.hpp"

namespace tutti::record::analysis {

struct MemberTimes {
  uint64_t late_ns = 0;      // delay after the first rank
  uint64_t waiting_ns = 0;   // inside MPI, until other ranks had arrived
  uint64_t transfer_ns = 0;  // inside MPI beyond that
  uint64_t hidden_ns = 0;    // pending while the program computed
  uint32_t awaited = 0;      // the rank that it waited for; its own number: none
  bool is_for_wait = false;  // waited not for the arrival of that rank, but until that rank began to wait
};

struct Lateness {
  bool is_judged = false;                  // the spread is at least twice the error of the clocks
  uint64_t spread_ns = 0;                  // from the first arrival to the last
  uint32_t last = 0;                       // rank of the group
  uint64_t typical_gap_ns = k_unknown_ns;  // median of the ranks' working time since their previous call
  std::vector<MemberTimes> members;        // by rank of the group; zeros for ranks without a record
  /// By rank of the group: how long others waited for it, whether or not it is to blame. The sum is the waiting of all.
  std::vector<uint64_t> awaited_ns;
};

/// Fills `lateness`, whose memory is reused. Pure otherwise.
void judge(const CallInstance& call, Lateness* lateness);

}  // namespace tutti::record::analysis
