#pragma once
// Alltoall(v,w) algorithms in which every block goes straight to its destination. They differ in the order of
// the peers.

#include <span>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "algorithm/block_layout.hpp"
#include "algorithm/lanes.hpp"

namespace tutti::algorithm {

/// One step of one rank: the destination of its block and the source of the block that it receives. -1: none.
struct ExchangeStep {
  Rank to, from;
};

/// In step s to the rank s after and from the rank s before.
std::vector<ExchangeStep> ring_steps(Rank me, Rank rank_count);

/// How much of an exchange is under way.
struct ExchangeLimits {
  uint64_t steps = 0;                          // separately for sends and receives; 0: no bound
  uint64_t segment_bytes = uint64_t{1} << 62;  // longer blocks travel in pieces
};

/// The tasks of one rank.
///
/// Blocks travel in pieces: all steps move their first piece, then all their second, and so on. What a rank
/// sends to others then grows evenly, so that no link is left over with a long block at the end while others
/// have nothing more to do. A piece waits for earlier ones only, on both sides of every message: there is
/// always an earliest message that has both its turns, so that nothing can deadlock.
class AlltoallExchange {
 public:
  AlltoallExchange(schedule::ScheduleBuilder& builder, const Request& request, Rank me,
                   ExchangeLimits limits);

  /// All steps, in this order; every rank has as many. Empty blocks are left out.
  void add_steps(std::span<const ExchangeStep> steps);
  /// Whole blocks between ranks of one node, outside of all steps.
  void add_local(Rank to, Rank from);
  /// The block that stays on this rank; last, so that no message waits for it.
  void copy_own();

 private:
  uint64_t most_pieces(std::span<const ExchangeStep> steps) const;

  schedule::ScheduleBuilder& builder_;
  Rank me_;
  ExchangeLimits limits_;
  BlockLayout outgoing_, incoming_;
};

/// Messages that wait for each other and bytes, for `step_count` steps. The v and w forms know only the own
/// blocks: the rounds are then the most that there can be, and the bytes are those of this rank.
Cost exchange_cost(const Request& request, uint64_t step_count, ExchangeLimits limits);

inline constexpr Parameter k_exchange_parameters[] = {
    {.name = "steps", .summary = "steps under way at a time", .default_value = 1, .min = 1, .max = 1 << 20},
    {.name = "segment",
     .summary = "bytes of a block that travel together",
     .unit = Parameter::Unit::bytes,
     .default_value = 16 << 10,
     .min = 1,
     .max = uint64_t{1} << 30},
};
inline ExchangeLimits exchange_limits(const ParameterSet& parameters) {
  return {.steps = parameters[0], .segment_bytes = parameters[1]};
}

}  // namespace tutti::algorithm
