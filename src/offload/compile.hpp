#pragma once
// Compiles a barrier's schedule to the rounds of descriptors. Pure; any thread.
//
// A schedule can be compiled if every task is a notification over the network, its arrival, or a join. The
// round of a send follows from the arrivals that it waits for. Dependencies of a send on another send, and of
// an arrival on any task, are dropped: a NIC accepts notifications at any time, and no barrier relies on
// them.

#include <span>
#include <vector>

#include "base/status.hpp"
#include "offload/descriptor.hpp"
#include "schedule/schedule.hpp"

namespace tutti::offload {

/// Computes the rounds of one rank from its schedule alone, as a node of paper 003 does. The set of arrivals
/// that the sends wait for must grow from round to round, so that all sends of a round wait for the same
/// ones. Rounds are counted by the waits of this rank; check_consistency() checks that its peers count in the
/// same way. Error: not_supported, one line that names the faulty task or the exceeded limit.
base::Result<std::vector<Round>> compile(const schedule::Schedule& schedule);

/// Computes the rounds of all ranks together: a message's round is the number of messages on the longest
/// chain that it waits for. A rank without messages in a round has an empty round. Accepts schedules that
/// compile() does not, such as trees. A send waits for all arrivals of earlier rounds, which may be more than
/// in the schedule; that cannot deadlock, because both ends of a message count the same round. Error:
/// not_supported, one line that names the rank and the faulty task, or the exceeded limit.
base::Result<std::vector<std::vector<Round>>> compile_all(std::span<const schedule::Schedule> every_rank);

}  // namespace tutti::offload
