#pragma once
// What the two broadcasts share that scatter the message over the ranks and then collect it everywhere.

#include "algorithm/algorithm.hpp"
#include "algorithm/phase.hpp"
#include "algorithm/tally.hpp"
#include "pattern/even_blocks.hpp"

namespace tutti::algorithm {

/// The ranks by position: the root has position 0.
Members members_from_root(const Request& request, Rank me);
/// One block of the message per position.
pattern::EvenBlocks message_blocks(const Request& request);

/// Binomial scatter: position v receives the blocks of its whole subtree at their places in the output and
/// passes on those of its children's subtrees. Returns the arrival.
TaskId scatter_message(schedule::ScheduleBuilder& builder, const Members& members, const Request& request);
/// Counts scatter_message().
void tally_scatter(Tally& tally, const Request& request);

}  // namespace tutti::algorithm
