// Two-level pipelined broadcast (paper 000 §2.3, fig. 5 and 7): each segment travels between the leaders by a flat
// algorithm and is handed on inside a node as soon as its leader has it. The root leads its node.
//
//   node 0         node 1         node 2              segment s:  ═► between nodes   ─► inside a node
//   0 ═══ s0 s1 ═► 2 ═══ s0 s1 ═► 4
//   └─ s0 s1 ─► 1  └─ s0 s1 ─► 3  └─ s0 s1 ─► 5
//
// Rounds at most R_inter + R_intra of a segment, busiest rank at most n times the most messages that a leader sends
// of one segment. With the chain between nodes every link carries n bytes once.

#include <algorithm>

#include "algorithm/hierarchy.hpp"
#include "algorithm/segments.hpp"

namespace tutti::algorithm {
namespace {

constexpr std::string_view k_inter[] = {"chain", "knomial", "linear", "rdaas", "ringaas"};
constexpr std::string_view k_intra[] = {"linear", "knomial", "shared"};

constexpr Parameter k_parameters[] = {
    {.name = "inter", .summary = "algorithm between nodes", .unit = Parameter::Unit::choice, .max = 4,
     .choices = k_inter},
    {.name = "intra", .summary = "algorithm inside a node", .unit = Parameter::Unit::choice, .max = 2,
     .choices = k_intra},
    {.name = "segment", .summary = "bytes that travel together", .unit = Parameter::Unit::bytes,
     .default_value = 16 << 10, .min = 1, .max = uint64_t{1} << 30},
};

struct Levels {
  explicit Levels(const ParameterSet& parameters)
      : inter(chosen(Collective::bcast, k_parameters[0], parameters[0])),
        intra(chosen(Collective::bcast, k_parameters[1], parameters[1])) {}
  const Algorithm& inter;
  const Algorithm& intra;
};

Request segment_request(const Request& request, Rank ranks, Rank root, uint64_t bytes) {
  Request level = request;
  level.rank_count = ranks;
  level.root = root;
  level.bytes = bytes;
  return level;
}

bool applies(const Request& request, const Topology& topology, const ParameterSet& parameters, std::string* why_not) {
  const Levels levels(parameters);
  const Request segment = segment_request(request, 1, 0, std::min(parameters[2], request.bytes));
  return has_two_levels(topology, why_not) && segments_fit(request.bytes, parameters[2], why_not) &&
         level_applies(levels.inter, FlatBuilder::Level::inter, segment, topology.node_count(), why_not) &&
         level_applies(levels.intra, FlatBuilder::Level::intra, segment, topology.largest_node_size(), why_not);
}

base::Result<Schedule> build(const Request& request, Rank me, const Topology& topology,
                             const ParameterSet& parameters) {
  const Levels levels(parameters);
  const TwoLevel two(topology, me, request.root);
  FlatBuilder inter(levels.inter, FlatBuilder::Level::inter, two.node_count(), two.my_node());
  FlatBuilder intra(levels.intra, FlatBuilder::Level::intra, two.member_count(), two.my_local_index());

  const uint64_t segment = std::min(parameters[2], std::max<uint64_t>(request.bytes, 1));
  const auto inter_request = [&](uint64_t bytes) {
    return segment_request(request, two.node_count(), two.root_node(), bytes);
  };
  const auto intra_request = [&](uint64_t bytes) {
    return segment_request(request, two.member_count(), two.leader_local_index(), bytes);
  };

  ScheduleBuilder builder;
  SegmentRing ring(builder, inter.get(inter_request(segment)).scratch_bytes(),
                   intra.get(intra_request(segment)).node_bytes());
  for (uint64_t at = 0, index = 0; at < request.bytes; at += segment, ++index) {
    const BufRef piece{Slot::output, at, std::min(segment, request.bytes - at)};
    Nested between{ring.free(index), k_no_task};
    if (two.leads())
      between = builder.nest(inter.get(inter_request(piece.length)),
                             {.output = piece, .peers = two.leaders(), .scratch = ring.scratch(index)}, ring.free(index));
    const Nested inside = builder.nest(intra.get(intra_request(piece.length)),
                                       {.output = piece, .peers = two.locals(), .node = ring.node(index)}, between.ready);
    if (ring.owns_memory()) ring.set_done(index, builder.join({between.done, inside.done}));
  }
  if (!inter.status()) return inter.status();
  if (!intra.status()) return intra.status();
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology& topology, const ParameterSet& parameters) {
  if (request.bytes == 0) return {};
  const Levels levels(parameters);
  const uint64_t segment = std::min(parameters[2], request.bytes);
  const uint64_t segments = segment_count(request.bytes, segment);
  const auto level_cost = [&](const Algorithm& algorithm, Rank ranks, const Topology& level) {
    return ranks > 1 ? algorithm.cost(segment_request(request, ranks, 0, segment), level, default_parameters(algorithm))
                     : Cost{};
  };
  const Rank members = topology.largest_node_size();
  const Cost inter = level_cost(levels.inter, topology.node_count(), Topology::flat(topology.node_count()));
  const Cost intra = level_cost(levels.intra, members, Topology::blocked(members, members));
  // Segments follow each other only where they take turns with memory.
  return {.rounds = (inter.rounds + intra.rounds) * turns_of(segments),
          .busiest_bytes = (inter.busiest_bytes + intra.busiest_bytes) * segments,
          .is_upper_bound = true};
}

}  // namespace

extern const Algorithm bcast_hierarchical;
const Algorithm bcast_hierarchical = {
    .name = "hierarchical",
    .summary = "two levels: a flat algorithm between nodes, another inside them, joined per segment",
    .source = "Liu et al., Journal of Software 22(10), 2011, section 2.3",
    .collective = Collective::bcast,
    .parameters = k_parameters,
    .applies = applies,
    .build = build,
    .cost = cost,
};

}  // namespace tutti::algorithm
