// Ring reduce-scatter (the first half of Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms, JPDC 2009). Block b
// starts at rank b + 1 and travels once around the ring to rank b; every rank adds its operand. Blocks are cut into
// segments that are reduced and forwarded as they arrive.
//
//   round        1     2          p = 3, letter = block
//   0 ─► 1       c     b
//   1 ─► 2       a     c
//   2 ─► 0       b     a
//
// Rounds p-1; every rank sends all blocks except its own. Blocks are reduced in ring order, so that the operator must
// commute.

#include "algorithm/applicability.hpp"
#include "algorithm/parameters.hpp"
#include "algorithm/phase_reduce_scatter.hpp"
#include "algorithm/reduce_scatter/packed_blocks.hpp"
#include "pattern/segments.hpp"

namespace tutti::algorithm {
namespace {

constexpr Parameter k_parameters[] = {segment_parameter(16 << 10, "bytes of a block that travel together")};

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet& parameters) {
  const BlockOffset offset = packed_blocks(request);
  const BufRef operand{Slot::input, 0, request.bytes};
  const BufRef result{Slot::output, 0, offset(me + 1) - offset(me)};
  ScheduleBuilder builder;
  if (request.rank_count == 1) return reduce_alone(request);
  const auto segments = pattern::Segments::of_elements(request.bytes, parameters[0], request.element_bytes);
  ring_reduce_scatter(builder, ranks_from(0, request, me), operand, offset, segments.segment_bytes, result);
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  if (request.bytes == 0 || request.rank_count == 1) return {};
  return {static_cast<uint64_t>(request.rank_count - 1),
          request.bytes - request.blocks.smallest(request.rank_count)};
}

constexpr Algorithm row(Collective collective) {
  return {.name = "ring",
          .summary = "every block travels round the ring to its rank and is reduced on its way",
          .source = "Patarasuk, Yuan, JPDC 2009",
          .collective = collective,
          .parameters = k_parameters,
          .applies = applies_if<operator_commutes, message_in_segments<0>>,
          .build = build,
          .cost = cost};
}

}  // namespace

extern const Algorithm reduce_scatter_ring = row(Collective::reduce_scatter);
extern const Algorithm reduce_scatter_block_ring = row(Collective::reduce_scatter_block);

}  // namespace tutti::algorithm
