// Reduce and broadcast: segments are reduced along a k-nomial tree to rank 0, which broadcasts each one down the tree
// as soon as it is complete, so that the two halves overlap.
//
//   radix 2, 4 ranks      up     3 ─► 2   1 ─► 0      2 ─► 0
//                         down   0 ─► 2   0 ─► 1      2 ─► 3
//
// Rounds 2·height of the tree (at most 2·⌈log_radix p⌉). The root sends n bytes to each of its children; the others
// send n bytes to the parent and n bytes to each child. The tree is in rank order, so that operators need not commute.
// All ranks get the bits of rank 0.

#include <algorithm>

#include "algorithm/applicability.hpp"
#include "algorithm/parameters.hpp"
#include "algorithm/phase_tree.hpp"

namespace tutti::algorithm {
namespace {

using pattern::KnomialTree;
using pattern::Segments;

constexpr Parameter k_parameters[] = {radix_parameter(2), segment_parameter(64 << 10)};

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet& parameters) {
  if (request.rank_count == 1) return reduce_alone(request);
  const TreePlace place = tree_place(tree_of<KnomialTree>(request, parameters), ranks_from(0, request, me));
  const auto segments = Segments::of_elements(request.bytes, parameters[1], request.element_bytes);
  const BufRef output{Slot::output, 0, request.bytes};
  ScheduleBuilder builder;
  TreeReduction reduction(builder, place, segments, request.operand(), output);
  for (uint64_t i = 0; i < segments.count(); ++i) {
    const TreeReduction::Segment reduced = reduction.add(i);
    pass_down(builder, place, output.part(segments.offset(i), segments.length(i)),
              place.is_root() ? reduced.ready : reduced.sent);
  }
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
  if (request.bytes == 0 || request.rank_count == 1) return {};
  const KnomialTree tree = tree_of<KnomialTree>(request, parameters);
  uint64_t most_messages = 0;
  for (Rank v = 0; v < request.rank_count; ++v)
    most_messages = std::max(most_messages, tree.child_count(v) + (v > 0 ? 1 : 0));
  return {2 * tree.height(), most_messages * request.bytes};
}

}  // namespace

extern const Algorithm allreduce_reduce_bcast = {
    .name = "reduce_bcast",
    .summary = "segments go up a k-nomial tree to rank 0 and down again",
    .source = "folklore; Thakur, Rabenseifner, Gropp, IJHPCA 2005, §7",
    .collective = Collective::allreduce,
    .parameters = k_parameters,
    .applies = message_in_segments<1>,
    .build = build,
    .cost = cost,
};

}  // namespace tutti::algorithm
