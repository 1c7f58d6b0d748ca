// Bine tree broadcast (De Sensi et al.: Bine Trees, SC 2025; pattern/bine.hpp), cut into segments that follow each
// other down the tree.
//
//   8 ranks, root 0       round 1   0 ─► 3
//                         round 2   0 ─► 7   3 ─► 4
//                         round 3   0 ─► 1   7 ─► 6   3 ─► 2   4 ─► 5
//
// Powers of two only. Rounds log2 p, busiest rank: the root, n·log2 p bytes. Distances are a third shorter than those
// of a binomial tree, and so is the way over the long cables of a network on which near ranks are near.

#include "algorithm/algorithm.hpp"
#include "algorithm/guard.hpp"
#include "algorithm/segments.hpp"
#include "pattern/bine.hpp"
#include "pattern/segments.hpp"

namespace tutti::algorithm {
namespace {

using pattern::BineTree;
using pattern::Segments;
using schedule::BufRef;
using schedule::k_no_task;
using schedule::Peer;
using schedule::ScheduleBuilder;
using schedule::Slot;
using schedule::TaskId;

constexpr Parameter k_parameters[] = {
    {.name = "segment",
     .summary = "bytes that travel together",
     .unit = Parameter::Unit::bytes,
     .default_value = 64 << 10,
     .min = 1,
     .max = uint64_t{1} << 30},
};

bool applies(const Request& request, const Topology&, const ParameterSet& parameters, std::string* why_not) {
  return power_of_two_ranks(request, why_not) && segments_fit(request.bytes, parameters[0], why_not);
}

base::Result<Schedule> build(const Request& request, Rank me, const Topology&,
                             const ParameterSet& parameters) {
  const Rank p = request.rank_count, position = (me - request.root + p) % p;
  const BineTree tree{p};
  const auto peer = [&](Rank at) { return Peer::rank((at + request.root) % p); };
  const auto children = tree.children(position);
  const Segments segments{request.bytes, parameters[0]};

  ScheduleBuilder builder;
  for (uint64_t i = 0; i < segments.count(); ++i) {
    const BufRef piece{Slot::output, segments.offset(i), segments.length(i)};
    const TaskId arrived = position > 0 ? builder.recv(peer(tree.parent(position)), piece) : k_no_task;
    // The largest subtree has the longest way to go.
    for (auto child = children.rbegin(); child != children.rend(); ++child)
      builder.send(peer(child->position), piece, arrived);
  }
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  if (request.bytes == 0) return {};
  const uint64_t height = BineTree{request.rank_count}.height();
  return {height, height * request.bytes};
}

}  // namespace

extern const Algorithm bcast_bine;
const Algorithm bcast_bine = {
    .name = "bine",
    .summary =
        "segments follow each other down a Bine tree, whose distances are a third shorter than those of a "
        "binomial one",
    .source = "De Sensi et al., SC 2025",
    .collective = Collective::bcast,
    .parameters = k_parameters,
    .applies = applies,
    .build = build,
    .cost = cost,
    .is_for_large_network = true,
};

}  // namespace tutti::algorithm
