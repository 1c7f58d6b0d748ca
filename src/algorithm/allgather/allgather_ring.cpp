// Ring allgather(v) (Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, IJHPCA
// 2005, §4.1). Every block travels once around the ring; each rank sends to the next rank and receives from the
// previous one.
//
//   round   1     2     3          p = 4, number = block
//   0 ─► 1  0     3     2
//   1 ─► 2  1     0     3
//   2 ─► 3  2     1     0
//   3 ─► 0  3     2     1
//
// Rounds p-1, busiest rank Σn - min n bytes (all blocks except that of its successor). Blocks are received at their
// final offsets and forwarded from there, segment by segment, so that a long block does not stall the ring.

#include "algorithm/allgather/own_block.hpp"
#include "algorithm/applicability.hpp"
#include "algorithm/parameters.hpp"
#include "algorithm/phase_allgather.hpp"

namespace tutti::algorithm {
namespace {

constexpr Parameter k_parameters[] = {segment_parameter(16 << 10, "bytes that are forwarded together")};

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet& parameters) {
  ScheduleBuilder builder;
  const AllgatherStart start = start_allgather(builder, request, me);
  std::vector<BufRef> blocks = start.places;
  blocks[static_cast<size_t>(me)] = start.own;
  std::vector<TaskIds> ready(blocks.size());
  ring_allgather(builder, start.members, blocks, parameters[0], ready);
  return std::move(builder).finish();
}

constexpr Algorithm row(Collective collective) {
  return {.name = "ring",
          .summary = "every block travels once around the ring of ranks",
          .source = "Thakur, Rabenseifner, Gropp, IJHPCA 2005, §4.1",
          .collective = collective,
          .parameters = k_parameters,
          .applies = blocks_in_segments<0>,
          .build = build,
          .cost = ring_allgather_cost,
          .is_the_same_for_all = true};
}

}  // namespace

extern const Algorithm allgather_ring = row(Collective::allgather);
extern const Algorithm allgatherv_ring = row(Collective::allgatherv);

}  // namespace tutti::algorithm
