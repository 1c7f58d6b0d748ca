#pragma once
// Alltoall(v,w) algorithms in which every block goes straight to its destination; they differ in who talks to
// whom when.

#include "algorithm/algorithm.hpp"
#include "algorithm/block_layout.hpp"
#include "algorithm/lanes.hpp"

namespace tutti::algorithm {

/// The tasks of one rank, step by step. At most `limit` steps are under way at a time, separately for sends
/// and for receives (0: no bound). A step waits for earlier ones only, on both sides of every message: there
/// is always an earliest message that has both its turns, so that nothing can deadlock.
class AlltoallExchange {
 public:
  AlltoallExchange(schedule::ScheduleBuilder& builder, const Request& request, Rank me, uint64_t step_count,
                   uint64_t limit);

  /// Step `step` of this rank: its block to `to`, and the one from `from`. Empty blocks are left out, and so
  /// is a side that is -1.
  void add(uint64_t step, Rank to, Rank from);
  /// The same between ranks of one node, outside of all steps.
  void add_local(Rank to, Rank from);
  /// The block that stays on this rank; last, so that no message waits for it.
  void copy_own();

 private:
  schedule::ScheduleBuilder& builder_;
  Rank me_;
  BlockLayout outgoing_, incoming_;
  Lanes sends_, receives_;
};

/// Messages that wait for each other and bytes, for `step_count` steps. The v and w forms know only the own
/// blocks: the rounds are then the most that there can be, and the bytes are those of this rank.
Cost exchange_cost(const Request& request, uint64_t step_count, uint64_t limit);

inline constexpr Parameter k_exchange_parameters[] = {
    {.name = "steps", .summary = "steps under way at a time", .default_value = 1, .min = 1, .max = 1 << 20},
};

}  // namespace tutti::algorithm
