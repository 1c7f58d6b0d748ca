#pragma once
// From a barrier's schedule to the rounds of descriptors. Pure; any thread.
//
// A schedule fits where every task is a notification over the network, its arrival, or a join; a send's round
// is then given by the arrivals that it waits for. That a send waits for another send, or an arrival for
// anything, is dropped: a NIC accepts what arrives whenever it arrives, and no barrier rests on it.

#include <span>
#include <vector>

#include "base/status.hpp"
#include "offload/descriptor.hpp"
#include "schedule/schedule.hpp"

namespace tutti::offload {

/// The rounds of one rank, from its schedule alone, as a node of paper 003 computes them. The arrivals that
/// the sends wait for must grow from round to round, so that each round's sends wait for the same ones.
/// Rounds are counted by what this rank waits for; whether its peers count alike, check_together() says.
/// Error: not_supported, one line that names the task at fault or what does not fit.
base::Result<std::vector<Round>> compile(const schedule::Schedule& schedule);

/// The rounds of all ranks together: a message's round is the number of messages on the longest chain that it
/// waits for, and a rank without messages in a round stands still. Takes what compile() cannot, like trees.
/// A send waits for all arrivals of earlier rounds, which may be more than the schedule asks for; that cannot
/// deadlock, because both ends of a message count the same round.
/// Error: not_supported, one line that names rank and task at fault or what does not fit.
base::Result<std::vector<std::vector<Round>>> compile_together(
    std::span<const schedule::Schedule> every_rank);

}  // namespace tutti::offload
