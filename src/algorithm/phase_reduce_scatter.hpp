#pragma once
// Reduce-scatter phases: every position starts with a whole vector and ends with one block of the reduced
// vector.

#include "algorithm/phase.hpp"
#include "algorithm/tally.hpp"
#include "pattern/fold.hpp"
#include "pattern/halving.hpp"

namespace tutti::algorithm {

/// A vector that stands for what some ranks contribute.
struct Partial {
  schedule::BufRef place;
  TaskId ready = schedule::k_no_task;
};

/// The step before halving: of each pair of neighbours one hands `operand` to the one that stays. Returns the
/// partial result of the one that stays, which lies in `operand` (no pair) or `landing`; the other one's is
/// its own operand, ready when it has left. `landing` must not be `operand`.
Partial fold_in(schedule::ScheduleBuilder& builder, const pattern::Fold& fold, schedule::Rank me,
                schedule::BufRef operand, const std::function<schedule::BufRef()>& landing);

struct Halved {
  TaskId done = schedule::k_no_task;      // the block is complete in `result`
  TaskId consumed = schedule::k_no_task;  // the memory of `partial` may be written again
};

/// Recursive halving over a power of two of positions (at least two), as in pattern/halving.hpp. The block
/// that the order gives to this position lands in `result`, which may lie inside partial.place or in memory
/// that is free once `partial` is ready.
Halved halving_reduce_scatter(schedule::ScheduleBuilder& builder, const Members& members,
                              pattern::HalvingOrder order, const Partial& partial, const BlockOffset& offset,
                              schedule::BufRef result);

struct RingReduced {
  TaskIds done;                   // per segment of the own block
  std::vector<TaskIds> consumed;  // per block and segment: this part of the operand may be written again
};

/// Ring: block b starts at position b + 1 and travels to position b, every position adding its operand; each
/// block is cut into segments that are forwarded as they are ready. Needs an operator that commutes. Position
/// b's block lands in `result`, which may be its own place in `operand`.
RingReduced ring_reduce_scatter(schedule::ScheduleBuilder& builder, const Members& members,
                                schedule::BufRef operand, const BlockOffset& offset, uint64_t segment_bytes,
                                schedule::BufRef result);

/// Count fold_in() of `bytes`, halving_reduce_scatter() and, its way back, recursive_doubling_allgather().
void tally_fold_in(Tally& tally, const pattern::Fold& fold, uint64_t bytes);
void tally_halving(Tally& tally, const pattern::Fold& fold, pattern::HalvingOrder order,
                   const BlockOffset& offset);
void tally_doubling(Tally& tally, const pattern::Fold& fold, pattern::HalvingOrder order,
                    const BlockOffset& offset);

}  // namespace tutti::algorithm
