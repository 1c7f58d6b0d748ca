// Two-level pipelined allreduce: each segment is reduced inside every node to its leader, allreduced between the
// leaders, and broadcast inside the nodes (DESIGN §2, after paper 000 §2.3).
//
//   members ─► leader      reduce inside the node        segment s+1
//   leader ◄═► leaders     allreduce between nodes       segment s
//   leader ─► members      broadcast inside the node     segment s-1
//
// Rounds at most R_reduce + R_inter + R_bcast per turn of the segment ring. With the ring between nodes every link
// carries 2·(N-1)/N·n bytes, which is the minimum.

#include "algorithm/vector_levels.hpp"

namespace tutti::algorithm {
namespace {

constexpr std::string_view k_inter[] = {"ring", "recursive_doubling", "rabenseifner", "reduce_bcast"};
constexpr std::string_view k_intra[] = {"linear", "knomial", "shared"};

constexpr Parameter k_parameters[] = {
    choice_parameter("inter", "algorithm between nodes", k_inter),
    choice_parameter("intra", "broadcast inside a node", k_intra),
    segment_parameter(128 << 10),
    {.name = "lanes",
     .summary = "members of a node that take turns as its leader",
     .default_value = 1,
     .min = 1,
     .max = 64},
};

VectorLevels levels_of(const ParameterSet& parameters) {
  return {.collect = find(Collective::reduce, "knomial"),
          .between = chosen(Collective::allreduce, k_parameters[0], parameters[0]),
          .hand_out = chosen(Collective::bcast, k_parameters[1], parameters[1]),
          .segment_bytes = parameters[2],
          .lanes = parameters[3]};
}

using Levels = TwoLevelVector<levels_of>;

}  // namespace

extern const Algorithm allreduce_hierarchical = {
    .name = "hierarchical",
    .summary =
        "two levels: reduce inside nodes, a flat allreduce between them, broadcast inside, per segment",
    .source = "after Liu et al., Journal of Software 22(10), 2011, section 2.3",
    .collective = Collective::allreduce,
    .parameters = k_parameters,
    .applies = Levels::applies,
    .build = Levels::build,
    .cost = Levels::cost,
};

}  // namespace tutti::algorithm
