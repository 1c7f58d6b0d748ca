#pragma once
// Reduce-scatter phases: every position starts with a complete vector and ends with one block of the reduced vector.

#include "algorithm/phase.hpp"
#include "algorithm/tally.hpp"
#include "pattern/fold.hpp"
#include "pattern/halving.hpp"

namespace tutti::algorithm {

/// A vector that holds the reduction of some ranks' contributions.
struct Partial {
  BufRef place;
  TaskId ready = k_no_task;
};

/// The step before halving: in each pair of neighbours the rank that leaves sends `operand` to the one that stays. For
/// a rank that stays, returns the partial result, which is in `operand` (no pair) or `landing`. For a rank that leaves,
/// returns its own operand, ready when it has been sent. `landing` must not be `operand`.
Partial fold_in(ScheduleBuilder& builder, const pattern::Fold& fold, Rank me, BufRef operand,
                const std::function<BufRef()>& landing);

struct Halved {
  TaskId done = k_no_task;      // the block is complete in `result`
  TaskId consumed = k_no_task;  // the memory of `partial` may be written again
};

/// Recursive halving over a power of two of positions (at least two), as in pattern/halving.hpp. The block that the
/// order assigns to this position is written to `result`, which may lie inside partial.place or in memory that is free
/// once `partial` is ready.
Halved halving_reduce_scatter(ScheduleBuilder& builder, const Members& members, pattern::HalvingOrder order,
                              const Partial& partial, const BlockOffset& offset, BufRef result);

struct RingReduced {
  TaskIds done;                   // per segment of this position's block
  std::vector<TaskIds> consumed;  // per block and segment: this part of the operand may be written again
};

/// Ring: block b starts at position b + 1 and travels to position b; every position adds its operand. Each block is cut
/// into segments that are forwarded as they become ready. Requires an operator that commutes. The block of this
/// position is written to `result`, which may be its own range in `operand`.
RingReduced ring_reduce_scatter(ScheduleBuilder& builder, const Members& members, BufRef operand,
                                const BlockOffset& offset, uint64_t segment_bytes, BufRef result);

/// Count the messages of fold_in() with `bytes`, of halving_reduce_scatter(), and of recursive_doubling_allgather(),
/// the reverse of halving.
void tally_fold_in(Tally& tally, const pattern::Fold& fold, uint64_t bytes);
void tally_halving(Tally& tally, const pattern::Fold& fold, pattern::HalvingOrder order,
                   const BlockOffset& offset);
void tally_doubling(Tally& tally, const pattern::Fold& fold, pattern::HalvingOrder order,
                    const BlockOffset& offset);

}  // namespace tutti::algorithm
