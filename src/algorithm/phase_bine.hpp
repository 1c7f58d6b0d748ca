#pragma once
// Phases of the Bine butterfly (pattern/bine.hpp): a reduce-scatter, and an allgather that is its way back.

#include "algorithm/phase_reduce_scatter.hpp"
#include "pattern/bine.hpp"

namespace tutti::algorithm {

/// Over a power of two of positions (at least two). In every step a position keeps the run of blocks that its later
/// partners and itself are responsible for, and gives its partner's run away. Needs an operator that commutes. Position
/// v ends with block v, which lands in `result`: its own place in partial.place, or memory that is free once `partial`
/// is ready.
Halved bine_reduce_scatter(schedule::ScheduleBuilder& builder, const Members& members, const Partial& partial,
                           const BlockOffset& offset, schedule::BufRef result);

/// Position v starts with block v at its place in `vector`, which may be sent after `ready`; the others are written
/// after `writable`. Returns `ready` and the arrivals: all of it means that the vector is complete.
TaskIds bine_allgather(schedule::ScheduleBuilder& builder, const Members& members, schedule::BufRef vector,
                       const BlockOffset& offset, TaskId ready, TaskId writable = schedule::k_no_task);

/// Count both, among positions that ranks hold as `fold` says.
void tally_bine_reduce_scatter(Tally& tally, const pattern::Fold& fold, const BlockOffset& offset);
void tally_bine_allgather(Tally& tally, const pattern::Fold& fold, const BlockOffset& offset);

}  // namespace tutti::algorithm
