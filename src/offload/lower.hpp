#pragma once
// Converts a descriptor to a schedule, which Tutti's CPU engine executes over any MPI, inline or on the
// progress thread. Pure; any thread.

#include "base/status.hpp"
#include "offload/descriptor.hpp"
#include "schedule/schedule.hpp"

namespace tutti::offload {

/// Returns the tasks that a NIC would execute for the descriptor: the sends of round r wait for all receives
/// of earlier rounds. An allreduce takes 8 · element_count bytes of the input (or of the output, when
/// `in_place`) instead of the descriptor's operand, and leaves the result in the output. Error:
/// invalid_argument when check() rejects the descriptor, or a rank is above 2^31 - 1.
base::Result<schedule::Schedule> lower(const Descriptor& descriptor, bool in_place = false);

}  // namespace tutti::offload
