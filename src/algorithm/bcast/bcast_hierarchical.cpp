// Two-level pipelined broadcast (paper 000 §2.3, fig. 5 and 7): a flat algorithm moves each segment between the
// leaders, and a leader forwards it inside its node as soon as it has arrived. The root leads its node.
//
//   node 0         node 1         node 2              segment s:  ═► between nodes   ─► inside a node
//   0 ═══ s0 s1 ═► 2 ═══ s0 s1 ═► 4
//   └─ s0 s1 ─► 1  └─ s0 s1 ─► 3  └─ s0 s1 ─► 5
//
// Rounds at most R_inter + R_intra of a segment, busiest rank at most n times the maximum number of messages that a
// leader sends per segment. With the chain between nodes every link carries n bytes once.

#include "algorithm/vector_levels.hpp"

namespace tutti::algorithm {
namespace {

constexpr std::string_view k_inter[] = {"chain", "knomial", "linear", "rdaas", "ringaas"};
constexpr std::string_view k_intra[] = {"linear", "knomial", "shared"};

constexpr Parameter k_parameters[] = {
    choice_parameter("inter", "algorithm between nodes", k_inter),
    choice_parameter("intra", "algorithm inside a node", k_intra),
    segment_parameter(16 << 10),
};

VectorLevels levels_of(const ParameterSet& parameters) {
  return {.between = chosen(Collective::bcast, k_parameters[0], parameters[0]),
          .hand_out = chosen(Collective::bcast, k_parameters[1], parameters[1]),
          .segment_bytes = parameters[2]};
}

using Levels = TwoLevelVector<levels_of>;

}  // namespace

extern const Algorithm bcast_hierarchical = {
    .name = "hierarchical",
    .summary = "two levels: a flat algorithm between nodes, another inside them, joined per segment",
    .source = "Liu et al., Journal of Software 22(10), 2011, section 2.3",
    .collective = Collective::bcast,
    .parameters = k_parameters,
    .applies = Levels::applies,
    .build = Levels::build,
    .cost = Levels::cost,
};

}  // namespace tutti::algorithm
