#pragma once
// Allgather phases: every position starts with its own block at its final offset and ends with all blocks.

#include <span>

#include "algorithm/phase.hpp"
#include "pattern/halving.hpp"

namespace tutti::algorithm {

/// Number of blocks that position v holds at the start: block v and its successors, without wrapping. A phase omits
/// messages with blocks that the receiver already holds.
using HeldBlocks = Rank (*)(Rank position, Rank count);
inline Rank own_block(Rank, Rank) {
  return 1;
}
/// For use after a binomial scatter: the blocks of the position's subtree.
Rank binomial_subtree(Rank position, Rank count);

/// Ring: blocks travel from position to position + 1, each cut into segments that are forwarded as they arrive.
/// `blocks`: the buffer of every position's block (any offsets and lengths; the lengths must be equal on all ranks).
/// ready[b]: tasks after which block b may be sent: none, one task, or one task per segment; needed for the blocks held
/// at the start. On return it is filled for all blocks. writable[b], if given: in the same form, tasks after which
/// block b may be written.
void ring_allgather(ScheduleBuilder& builder, const Members& members, std::span<const BufRef> blocks,
                    uint64_t segment_bytes, std::vector<TaskIds>& ready,
                    std::span<const TaskIds> writable = {}, HeldBlocks held = own_block);

/// Cost of an allgather(v) by a ring: every rank sends all blocks except that of its successor.
Cost ring_allgather_cost(const Request& request, const Topology& topology, const ParameterSet& parameters);

/// Recursive doubling over a power of two of positions; the reverse of halving_steps(..., order), so that with
/// far_first position v starts with block v. `vector` holds all blocks in sequence. Blocks are sent after `ready` and
/// written after `writable`. Returns `ready` and the receives; when all of them are complete, the vector is complete.
TaskIds recursive_doubling_allgather(ScheduleBuilder& builder, const Members& members,
                                     pattern::HalvingOrder order, BufRef vector, const BlockOffset& offset,
                                     TaskId ready, TaskId writable = k_no_task, HeldBlocks held = own_block);

}  // namespace tutti::algorithm
