#pragma once
// From a barrier's schedule to the rounds of descriptors. Pure; any thread.
//
// A schedule can be compiled if every task is a notification over the network, its arrival, or a join. The
// round of a send follows from the arrivals that it waits for. Dependencies of a send on another send, and of
// an arrival on anything, are dropped: a NIC accepts notifications at any time, and no barrier relies on
// them.

#include <span>
#include <vector>

#include "base/status.hpp"
#include "offload/descriptor.hpp"
#include "schedule/schedule.hpp"

namespace tutti::offload {

/// The rounds of one rank, from its schedule alone, as a node of paper 003 computes them. The arrivals that
/// the sends wait for must grow from round to round, so that each round's sends wait for the same ones.
/// Rounds are counted by what this rank waits for. check_consistency() tells whether its peers count alike.
/// Error: not_supported, one line that names the task at fault or what does not fit.
base::Result<std::vector<Round>> compile(const schedule::Schedule& schedule);

/// The rounds of all ranks together: a message's round is the number of messages on the longest chain that it
/// waits for, and a rank without messages in a round stands still. Takes what compile() cannot, like trees.
/// A send waits for all arrivals of earlier rounds, which may be more than the schedule asks for; that cannot
/// deadlock, because both ends of a message count the same round.
/// Error: not_supported, one line that names rank and task at fault or what does not fit.
base::Result<std::vector<std::vector<Round>>> compile_all(std::span<const schedule::Schedule> every_rank);

}  // namespace tutti::offload
