#pragma once
// Shared by the two broadcasts that scatter the message over the ranks and then allgather it.

#include "algorithm/algorithm.hpp"
#include "algorithm/phase.hpp"
#include "algorithm/tally.hpp"
#include "pattern/even_blocks.hpp"

namespace tutti::algorithm {

/// One block of the message per position.
pattern::EvenBlocks message_blocks(const Request& request);

/// Binomial scatter: position v receives the blocks of its whole subtree at their offsets in the output and forwards
/// those of its children's subtrees. Returns the receive.
TaskId scatter_message(ScheduleBuilder& builder, const Members& members, const Request& request);
/// Counts the messages of scatter_message().
void tally_scatter(Tally& tally, const Request& request);

}  // namespace tutti::algorithm
