#pragma once
// Time reversal of schedules.

#include "base/status.hpp"
#include "schedule/schedule.hpp"

namespace tutti::schedule {

/// The schedule with time reversed: it receives what `schedule` sends and sends what that receives, copies in the
/// opposite direction and waits in the opposite order; input and output change places. The transposed schedules of all
/// ranks move every block back on the way on which it came, so that a scatter becomes a gather. The messages of a
/// channel are in the opposite order, on both sides.
///
/// For schedules that read every byte once: a byte that is sent to two ranks would be received from both. Error:
/// internal, if a task reduces.
base::Result<Schedule> transposed(const Schedule& schedule);

}  // namespace tutti::schedule
