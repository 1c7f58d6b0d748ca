// Linear (ex)scan: the reduction of all lower ranks travels from rank to rank in segments, which forms a pipeline for
// long vectors.
//
//   round        1        2          3            operands x0 x1 x2 x3
//   0 ─► 1       x0
//   1 ─► 2                x0x1
//   2 ─► 3                           x0x1x2
//
// Rounds p-1 (the path of a segment along the chain), busiest rank n bytes. In the exclusive form all ranks except the
// first and the last forward through four scratch buffers, so that segment i waits for segment i - 4: ⌊(S-1)/4⌋ rounds
// more for S segments. Operands are combined in rank order, so that operators need not commute.

#include "algorithm/applicability.hpp"
#include "algorithm/parameters.hpp"
#include "algorithm/segment_turns.hpp"
#include "pattern/segments.hpp"

namespace tutti::algorithm {
namespace {

using pattern::Segments;

constexpr Parameter k_parameters[] = {segment_parameter(16 << 10)};

BuildResult build_scan(const Request& request, Rank me, const Topology&, const ParameterSet& parameters) {
  const auto segments = Segments::of_elements(request.bytes, parameters[0], request.element_bytes);
  ScheduleBuilder builder;
  SegmentTurns turns(builder, me > 0 && request.in_place ? segments : Segments{});
  for (uint64_t i = 0; i < segments.count(); ++i) {
    const BufRef own = request.operand().part(segments.offset(i), segments.length(i));
    const BufRef result{Slot::output, own.offset, own.length};
    BufRef prefix = result;  // reduction of all ranks up to this one
    TaskId ready = k_no_task;
    if (me == 0) {
      builder.copy(own, result);
      prefix = own;
    } else if (request.in_place) {
      const BufRef landing = turns.place(i, own.length);
      const TaskId arrived = builder.recv(Peer::rank(me - 1), landing, turns.free(i));
      ready = turns.free(i) = builder.reduce(landing, result, arrived, OperandOrder::source_first);
    } else {
      const TaskId arrived = builder.recv(Peer::rank(me - 1), result);
      ready = builder.reduce(own, result, arrived, OperandOrder::target_first);
    }
    if (me + 1 < request.rank_count) builder.send(Peer::rank(me + 1), prefix, ready);
  }
  return std::move(builder).finish();
}

BuildResult build_exscan(const Request& request, Rank me, const Topology&, const ParameterSet& parameters) {
  const auto segments = Segments::of_elements(request.bytes, parameters[0], request.element_bytes);
  const bool is_last = me + 1 == request.rank_count;
  ScheduleBuilder builder;
  SegmentTurns turns(builder, me > 0 && !is_last ? segments : Segments{});
  for (uint64_t i = 0; i < segments.count(); ++i) {
    const BufRef own = request.operand().part(segments.offset(i), segments.length(i));
    const BufRef result{Slot::output, own.offset, own.length};
    if (me == 0) {
      if (!is_last) builder.send(Peer::rank(me + 1), own);
    } else if (is_last) {
      builder.recv(Peer::rank(me - 1), result);
    } else {
      // The received vector is the result, and the forwarded one also includes this rank's operand: two vectors. The
      // operand is copied while the message is in flight.
      const BufRef prefix = turns.place(i, own.length);
      const TaskId copied = builder.copy(own, prefix, turns.free(i));
      const TaskId arrived = builder.recv(Peer::rank(me - 1), result, request.in_place ? copied : k_no_task);
      const TaskId reduced = builder.reduce(result, prefix, {arrived, copied}, OperandOrder::source_first);
      turns.free(i) = builder.send(Peer::rank(me + 1), prefix, reduced);
    }
  }
  return std::move(builder).finish();
}

Cost cost_of_scan(const Request& request, const Topology&, const ParameterSet&) {
  if (request.bytes == 0 || request.rank_count == 1) return {};
  return {static_cast<uint64_t>(request.rank_count - 1), request.bytes};
}

Cost cost_of_exscan(const Request& request, const Topology& topology, const ParameterSet& parameters) {
  Cost cost = cost_of_scan(request, topology, parameters);
  const auto segments = Segments::of_elements(request.bytes, parameters[0], request.element_bytes);
  if (request.rank_count > 2) cost.rounds += SegmentTurns::extra_rounds(segments);
  return cost;
}

constexpr Algorithm row(Collective collective, decltype(Algorithm::build) build,
                        decltype(Algorithm::cost) cost) {
  return {.name = "linear",
          .summary = "the prefix travels from rank to rank in segments",
          .source = "folklore",
          .collective = collective,
          .parameters = k_parameters,
          .applies = message_in_segments<0>,
          .build = build,
          .cost = cost};
}

}  // namespace

extern const Algorithm scan_linear = row(Collective::scan, build_scan, cost_of_scan);
extern const Algorithm exscan_linear = row(Collective::exscan, build_exscan, cost_of_exscan);

}  // namespace tutti::algorithm
