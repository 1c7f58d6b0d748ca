#pragma once
// Alltoall(v,w) algorithms that send every block directly to its destination. They differ in the order of the peers.

#include <span>
#include <vector>

#include "algorithm/applicability.hpp"
#include "algorithm/block_layout.hpp"
#include "algorithm/in_flight_limit.hpp"
#include "algorithm/parameters.hpp"

namespace tutti::algorithm {

/// One step of one rank: destination of a sent block and source of a received block; -1: none.
struct ExchangeStep {
  Rank to, from;
};

/// Step s sends to rank me + s and receives from rank me - s.
std::vector<ExchangeStep> ring_steps(Rank me, Rank rank_count);

/// Limits of the messages of an exchange.
struct ExchangeLimits {
  uint64_t steps = 0;                          // in flight, separately for sends and receives; 0: no limit
  uint64_t segment_bytes = uint64_t{1} << 62;  // longer blocks are cut into pieces
};

/// Upper limit of the pieces of a block, which limits the size of a schedule for any block length.
inline constexpr uint64_t k_max_pieces = 1024;
/// Length of the pieces of a block. It depends on the block's length only, which both sides of a message know.
uint64_t piece_bytes(uint64_t block_bytes, uint64_t wanted);

/// Adds the tasks of one rank.
///
/// Blocks travel in pieces: all steps move their first piece, then all their second, and so on. The bytes that a rank
/// sends to each peer then grow evenly, so that no link is left with a long block at the end while the others are idle.
/// A piece waits for earlier pieces only, on both sides of every message: the earliest incomplete message always has
/// both its turns, so that no deadlock is possible.
class AlltoallExchange {
 public:
  AlltoallExchange(ScheduleBuilder& builder, const Request& request, Rank me, ExchangeLimits limits);

  /// Adds all steps in this order; every rank has the same number of steps. Empty blocks are skipped.
  void add_steps(std::span<const ExchangeStep> steps);
  /// Adds whole blocks between ranks of one node, outside of all steps.
  void add_local(Rank to, Rank from);
  /// Copies the block that stays on this rank; last, so that no message waits for it.
  void copy_own();

 private:
  uint64_t most_pieces(std::span<const ExchangeStep> steps) const;

  ScheduleBuilder& builder_;
  Rank me_;
  ExchangeLimits limits_;
  BlockLayout outgoing_, incoming_;
};

/// The schedule of one rank that consists of these steps.
BuildResult build_exchange(const Request& request, Rank me, std::span<const ExchangeStep> steps,
                           ExchangeLimits limits);

/// Chain of dependent messages and bytes of `step_count` steps. For the v and w forms only this rank's blocks are
/// known: the rounds are then an upper bound, and the bytes are those of this rank.
Cost exchange_cost(const Request& request, uint64_t step_count, ExchangeLimits limits);

inline constexpr Parameter k_exchange_parameters[] = {
    {.name = "steps", .summary = "steps under way at a time", .default_value = 1, .min = 1, .max = 1 << 20},
    segment_parameter(16 << 10, "bytes of a block that travel together"),
};
inline ExchangeLimits exchange_limits(const ParameterSet& parameters) {
  return {.steps = parameters[0], .segment_bytes = parameters[1]};
}

}  // namespace tutti::algorithm
