// Pipelined chain broadcast (Patarasuk, Faraj, Yuan: Pipelined broadcast on Ethernet switched clusters, IPDPS 2006).
// The message is cut into S segments that follow each other down a chain; every link carries n bytes once.
//
//   round   1     2     3     4         root = 0, S = 2
//   0 ─► 1  s0    s1
//   1 ─► 2        s0    s1
//   2 ─► 3              s0    s1
//
// Rounds p-1 (the path of a segment down the chain), busiest rank n bytes. The engine's window limits the messages in
// flight; without it rendezvous transports do not pipeline at all.

#include "algorithm/applicability.hpp"
#include "algorithm/parameters.hpp"
#include "pattern/segments.hpp"

namespace tutti::algorithm {
namespace {

using pattern::Segments;

constexpr Parameter k_parameters[] = {segment_parameter(16 << 10)};

base::Result<Schedule> build(const Request& request, Rank me, const Topology&,
                             const ParameterSet& parameters) {
  const Rank p = request.rank_count;
  const Rank position = (me - request.root + p) % p;
  const Peer previous = Peer::rank((me - 1 + p) % p);
  const Peer next = Peer::rank((me + 1) % p);
  const Segments segments{request.bytes, parameters[0]};

  ScheduleBuilder builder;
  for (uint64_t i = 0; i < segments.count(); ++i) {
    const BufRef piece{Slot::output, segments.offset(i), segments.length(i)};
    const TaskId arrived = position > 0 ? builder.recv(previous, piece) : k_no_task;
    if (position < p - 1) builder.send(next, piece, arrived);
  }
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  if (request.bytes == 0 || request.rank_count == 1) return {};
  return {static_cast<uint64_t>(request.rank_count - 1), request.bytes};
}

}  // namespace

extern const Algorithm bcast_chain = {
    .name = "chain",
    .summary = "segments follow each other down a chain of all ranks",
    .source = "Patarasuk, Faraj, Yuan, IPDPS 2006",
    .collective = Collective::bcast,
    .parameters = k_parameters,
    .applies = message_in_segments<0>,
    .build = build,
    .cost = cost,
};

}  // namespace tutti::algorithm
