// Segmented ring allreduce (Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms, JPDC 2009): a ring
// reduce-scatter, then a ring allgather. Blocks are cut into segments that are reduced and forwarded as they arrive, so
// that no link waits for the reduction of a whole block.
//
//   round        1     2   | 3     4          p = 3, letter = block, * = complete
//   0 ─► 1       c     b   | a*    c*
//   1 ─► 2       a     c   | b*    a*
//   2 ─► 0       b     a   | c*    b*
//
// Rounds 2(p-1); every rank sends 2n bytes except two blocks. Blocks are reduced in ring order, so that the operator
// must commute. Each block is reduced once, by one chain of ranks, so that all ranks get the same bits.

#include "algorithm/applicability.hpp"
#include "algorithm/parameters.hpp"
#include "algorithm/phase_allgather.hpp"
#include "algorithm/phase_reduce_scatter.hpp"
#include "pattern/even_blocks.hpp"
#include "pattern/segments.hpp"

namespace tutti::algorithm {
namespace {

using pattern::EvenBlocks;

constexpr Parameter k_parameters[] = {segment_parameter(16 << 10, "bytes of a block that travel together")};

EvenBlocks blocks_of(const Request& request) {
  return {request.bytes, request.element_bytes, request.rank_count};
}

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet& parameters) {
  const Rank p = request.rank_count;
  const BufRef operand = request.operand();
  ScheduleBuilder builder;
  if (request.rank_count == 1) return reduce_alone(request);
  const EvenBlocks blocks = blocks_of(request);
  const uint64_t segment =
      pattern::Segments::of_elements(request.bytes, parameters[0], request.element_bytes).segment_bytes;
  const Members members = ranks_from(0, request, me);
  std::vector<BufRef> places;
  places.reserve(static_cast<size_t>(p));
  for (Rank b = 0; b < p; ++b) places.push_back({Slot::output, blocks.offset(b), blocks.length(b)});

  const auto own = static_cast<size_t>(me);
  const RingReduced reduced = ring_reduce_scatter(
      builder, members, operand, [&](Rank block) { return blocks.offset(block); }, segment, places[own]);
  std::vector<TaskIds> ready(static_cast<size_t>(p));
  ready[own] = reduced.done;
  // If in place, the complete blocks overwrite the operand.
  ring_allgather(builder, members, places, segment, ready,
                 request.in_place ? std::span<const TaskIds>(reduced.consumed) : std::span<const TaskIds>());
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  const Rank p = request.rank_count;
  if (request.bytes == 0 || p == 1) return {};
  const EvenBlocks blocks = blocks_of(request);
  // Rank r sends all blocks except its own in the first half, and all except its successor's in the second. The last
  // blocks are the shortest, so that rank p-2 sends most.
  const uint64_t saved = blocks.length(p - 2) + blocks.length(p - 1);
  return {2 * static_cast<uint64_t>(p - 1), 2 * request.bytes - saved};
}

}  // namespace

extern const Algorithm allreduce_ring = {
    .name = "ring",
    .summary = "ring reduce-scatter, then ring allgather, both in segments",
    .source = "Patarasuk, Yuan, JPDC 2009",
    .collective = Collective::allreduce,
    .parameters = k_parameters,
    .applies = applies_if<operator_commutes, message_in_segments<0>>,
    .build = build,
    .cost = cost,
};

}  // namespace tutti::algorithm
