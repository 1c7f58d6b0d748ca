#pragma once
// Allgather phases: every position holds its own block at its final place and ends with all blocks.

#include <span>

#include "algorithm/phase.hpp"
#include "pattern/halving.hpp"

namespace tutti::algorithm {

/// How many blocks position v holds from the start: block v and those that follow it, without wrapping
/// around. A phase neither sends nor receives what the receiver holds already.
using HeldBlocks = schedule::Rank (*)(schedule::Rank position, schedule::Rank count);
inline schedule::Rank own_block(schedule::Rank, schedule::Rank) {
  return 1;
}
/// After a binomial scatter: the blocks of the own subtree.
schedule::Rank binomial_subtree(schedule::Rank position, schedule::Rank count);

/// Ring: blocks travel from position to position + 1, each cut into segments that are forwarded as they
/// arrive. `blocks` gives the place of every position's block (any places, any lengths, the same lengths on
/// all ranks). ready[b] lists what to wait for before block b may be sent: nothing, one task, or one task per
/// segment; needed for the blocks held from the start. On return it is filled for all blocks. writable[b], if
/// given, lists in the same way what to wait for before block b may be written.
void ring_allgather(schedule::ScheduleBuilder& builder, const Members& members,
                    std::span<const schedule::BufRef> blocks, uint64_t segment_bytes,
                    std::vector<TaskIds>& ready, std::span<const TaskIds> writable = {},
                    HeldBlocks held = own_block);

/// Recursive doubling over a power of two of positions; the way back of halving_steps(..., order), so with
/// far_first position v starts with block v. `vector` holds all blocks one behind the other. Blocks are sent
/// after `ready` and written after `writable`. Returns `ready` and the arrivals: all of it means that the
/// vector is complete.
TaskIds recursive_doubling_allgather(schedule::ScheduleBuilder& builder, const Members& members,
                                     pattern::HalvingOrder order, schedule::BufRef vector,
                                     const BlockOffset& offset, TaskId ready,
                                     TaskId writable = schedule::k_no_task, HeldBlocks held = own_block);

}  // namespace tutti::algorithm
