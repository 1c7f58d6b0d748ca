#pragma once
// Prints schedules as text, Graphviz or GOAL (DESIGN §2, consequence 5). Pure; any thread.

#include <cstdint>
#include <span>
#include <string>

#include "schedule/schedule.hpp"

namespace tutti::schedule {

/// Describes one task: "send 64 bytes of input+0 to rank 3".
std::string describe(const Task& task);

/// One block per rank, one line per task, with the tasks that it waits for:
///   rank 1: 2 tasks, 0 bytes of scratch
///     0  recv 8 bytes into output+0 from rank 0
///     1  send 8 bytes of output+0 to rank 2  after 0
/// `first`: the rank of the first schedule.
std::string print_text(std::span<const Schedule> every_rank, Rank first = 0);

/// Graphviz: ranks as clusters, dependencies as solid arrows, messages as dashed ones. An unmatched send or receive
/// gets no arrow, so that incorrect schedules can be drawn, too. `leader_of_node` resolves Peer::node; it may be empty
/// if no task has such a peer.
std::string print_dot(std::span<const Schedule> every_rank, std::span<const Rank> leader_of_node = {});

/// Processor time that LogGOPSim charges for local work; its messages follow its own network parameters.
struct GoalCosts {
  uint64_t copy_ns_per_kib = 100;
  uint64_t reduce_ns_per_kib = 200;
};

/// GOAL, the input of LogGOPSim's txt2bin (Hoefler, Siebert, Lumsdaine: Group Operation Assembly Language, ICPP 2009;
/// Hoefler, Schneider, Lumsdaine: LogGOPSim, HPDC 2010). The tag distinguishes the kinds of peer: rank 0, local 1, node
/// 2. LogGOPSim has no empty messages, so that a notify() carries one byte.
std::string print_goal(std::span<const Schedule> every_rank, std::span<const Rank> leader_of_node = {},
                       const GoalCosts& costs = {});

}  // namespace tutti::schedule
