// Linear broadcast: the root sends the whole message to every other rank.
//
//   0 ─► 1
//   0 ─► 2
//   0 ─► 3
//
// Rounds 1, busiest rank (p-1)·n bytes. Good for two ranks and inside a node.

#include "algorithm/applicability.hpp"

namespace tutti::algorithm {
namespace {

base::Result<Schedule> build(const Request& request, Rank me, const Topology&, const ParameterSet&) {
  ScheduleBuilder builder;
  const BufRef message{Slot::output, 0, request.bytes};
  if (me != request.root) {
    builder.recv(Peer::rank(request.root), message);
    return std::move(builder).finish();
  }
  // Starts with the next rank, so that consecutive broadcasts with different roots do not all start with rank 0.
  for (Rank step = 1; step < request.rank_count; ++step)
    builder.send(Peer::rank((me + step) % request.rank_count), message);
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  if (request.bytes == 0 || request.rank_count == 1) return {};
  return {1, static_cast<uint64_t>(request.rank_count - 1) * request.bytes};
}

}  // namespace

extern const Algorithm bcast_linear = {
    .name = "linear",
    .summary = "the root sends to every rank",
    .source = "folklore",
    .collective = Collective::bcast,
    .parameters = {},
    .applies = applies_always,
    .build = build,
    .cost = cost,
};

}  // namespace tutti::algorithm
