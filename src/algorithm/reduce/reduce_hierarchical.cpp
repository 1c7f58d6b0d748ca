// Two-level pipelined reduce: each segment is reduced inside every node to its leader, then between the leaders to the
// root, which leads its node (DESIGN §2, after paper 000 §2.3).
//
//   members ─► leader      reduce inside the node       segment s+1
//   leader ═══► root       reduce between nodes         segment s
//
// Rounds at most R_intra + R_inter per turn of the segment ring. With the chain between nodes every link carries n
// bytes once, which is the minimum.

#include "algorithm/vector_levels.hpp"

namespace tutti::algorithm {
namespace {

constexpr std::string_view k_inter[] = {"chain", "knomial", "rsg"};

constexpr Parameter k_parameters[] = {
    choice_parameter("inter", "algorithm between nodes", k_inter),
    segment_parameter(16 << 10),
};

VectorLevels levels_of(const ParameterSet& parameters) {
  return {.collect = find(Collective::reduce, "knomial"),
          .between = chosen(Collective::reduce, k_parameters[0], parameters[0]),
          .segment_bytes = parameters[1]};
}

using Levels = TwoLevelVector<levels_of>;

}  // namespace

extern const Algorithm reduce_hierarchical = {
    .name = "hierarchical",
    .summary = "two levels: reduce inside nodes, then a flat reduce between them, per segment",
    .source = "after Liu et al., Journal of Software 22(10), 2011, section 2.3",
    .collective = Collective::reduce,
    .parameters = k_parameters,
    .applies = Levels::applies,
    .build = Levels::build,
    .cost = Levels::cost,
};

}  // namespace tutti::algorithm
