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

#include "algorithm/algorithm.hpp"
#include "algorithm/applicability.hpp"
#include "algorithm/phase_reduce_scatter.hpp"
#include "algorithm/reduce_scatter/packed_blocks.hpp"
#include "algorithm/segments.hpp"
#include "pattern/segments.hpp"

namespace tutti::algorithm {
namespace {

using schedule::BufRef;
using schedule::Peer;
using schedule::ScheduleBuilder;
using schedule::Slot;

constexpr Parameter k_parameters[] = {
    {.name = "segment",
     .summary = "bytes of a block that travel together",
     .unit = Parameter::Unit::bytes,
     .default_value = 16 << 10,
     .min = 1,
     .max = uint64_t{1} << 30},
};

bool applies(const Request& request, const Topology&, const ParameterSet& parameters, std::string* why_not) {
  return operator_commutes(request, why_not) && segments_fit(request.bytes, parameters[0], why_not);
}

base::Result<Schedule> build(const Request& request, Rank me, const Topology&,
                             const ParameterSet& parameters) {
  const BlockOffset offset = packed_blocks(request);
  const BufRef operand{Slot::input, 0, request.bytes};
  const BufRef result{Slot::output, 0, offset(me + 1) - offset(me)};
  ScheduleBuilder builder;
  if (request.rank_count == 1) {
    builder.copy(operand, result);
    return std::move(builder).finish();
  }
  const Members members{request.rank_count, me, [](Rank position) { return Peer::rank(position); }};
  const auto segments = pattern::Segments::of_elements(request.bytes, parameters[0], request.element_bytes);
  ring_reduce_scatter(builder, members, operand, offset, segments.segment_bytes, result);
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  if (request.bytes == 0 || request.rank_count == 1) return {};
  return {static_cast<uint64_t>(request.rank_count - 1), request.bytes - smallest_block_bytes(request)};
}

constexpr Algorithm row(Collective collective) {
  return {.name = "ring",
          .summary = "every block travels round the ring to its rank and is reduced on its way",
          .source = "Patarasuk, Yuan, JPDC 2009",
          .collective = collective,
          .parameters = k_parameters,
          .applies = applies,
          .build = build,
          .cost = cost};
}

}  // namespace

extern const Algorithm reduce_scatter_ring, reduce_scatter_block_ring;
const Algorithm reduce_scatter_ring = row(Collective::reduce_scatter);
const Algorithm reduce_scatter_block_ring = row(Collective::reduce_scatter_block);

}  // namespace tutti::algorithm
