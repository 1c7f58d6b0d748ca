#include "algorithm/reduce/tree_reduce.hpp"

#include <utility>

namespace tutti::algorithm {

using pattern::Segments;

Rank collecting_rank(const Request& request) {
  return request.commutative ? request.root : 0;
}

BuildResult build_tree_reduce(const Request& request, Rank me, TreePlace place, uint64_t segment_bytes) {
  if (request.rank_count == 1) return reduce_alone(request);
  const Rank first = collecting_rank(request);
  const bool is_root = me == request.root, forwards = first != request.root;
  const BufRef output{Slot::output, 0, request.bytes};
  const BufRef operand = is_root ? request.operand() : BufRef{Slot::input, 0, request.bytes};
  if (forwards && me == first) place.parent = Peer::rank(request.root);
  const auto segments = Segments::of_elements(request.bytes, segment_bytes, request.element_bytes);
  ScheduleBuilder builder;
  TreeReduction reduction(builder, std::move(place), segments, operand,
                          is_root && !forwards ? output : BufRef{});
  for (uint64_t i = 0; i < segments.count(); ++i) {
    const auto segment = reduction.add(i);
    if (is_root && forwards)
      builder.recv(Peer::rank(first), output.part(segments.offset(i), segments.length(i)), segment.sent);
  }
  return std::move(builder).finish();
}

Cost tree_reduce_cost(const Request& request, uint64_t segment_bytes, uint64_t height) {
  if (request.bytes == 0 || request.rank_count == 1) return {};
  const uint64_t levels = height + (collecting_rank(request) != request.root ? 1 : 0);
  const auto segments = Segments::of_elements(request.bytes, segment_bytes, request.element_bytes);
  return {levels + (levels > 1 ? SegmentTurns::extra_rounds(segments) : 0), request.bytes};
}

}  // namespace tutti::algorithm
