// Recursive doubling allreduce (Thakur, Rabenseifner, Gropp, IJHPCA 2005, §7): partners at distance 1, 2, 4, …
// exchange what they have reduced so far. Other than a power of two of ranks is folded first: one of two neighbours
// hands its operand to the other and gets the result at the end.
//
//   6 ranks     fold      1 ─► 0     3 ─► 2
//               round 1   0 ◄─► 2    4 ◄─► 5
//               round 2   0 ◄─► 4    2 ◄─► 5
//               unfold    0 ─► 1     2 ─► 3
//
// With P the largest power of two up to p: rounds log2 P, busiest rank n·log2 P bytes; when p > P two rounds and
// n bytes more. Both partners combine lower op upper, so that all ranks get the same bits and operators need not
// commute.

#include "algorithm/algorithm.hpp"
#include "algorithm/phase_reduce_scatter.hpp"

namespace tutti::algorithm {
namespace {

using pattern::Fold;
using schedule::BufRef;
using schedule::k_no_task;
using schedule::OperandOrder;
using schedule::Peer;
using schedule::ScheduleBuilder;
using schedule::Slot;

bool applies(const Request&, const Topology&, const ParameterSet&, std::string*) { return true; }

/// Exchanges of the positions; the value ends in the output. Returns when it is there.
TaskId exchange_all(ScheduleBuilder& builder, const Fold& fold, Rank position, Partial value, BufRef output) {
  // The value moves to where the partner's arrives, to and fro between output and scratch: what is being sent is not
  // written before the next exchange.
  BufRef scratch{};
  TaskIds idle{value.ready};  // what to wait for before the place that does not hold the value may be written
  for (Rank distance = 1; distance < fold.count(); distance *= 2) {
    const Peer partner = Peer::rank(fold.rank(position ^ distance));
    const bool partner_first = (position & distance) != 0;
    const bool ends_in_place = distance * 2 == fold.count() && value.place == output;
    if (value.place == output && scratch.empty()) scratch = builder.scratch(output.length);
    const BufRef landing = value.place == output ? scratch : output;

    const TaskId sent = builder.send(partner, value.place, value.ready);
    const TaskId arrived = builder.recv(partner, landing, idle);
    if (ends_in_place)
      return builder.reduce(landing, output, {arrived, value.ready, sent},
                            partner_first ? OperandOrder::source_first : OperandOrder::target_first);
    const TaskId reduced = builder.reduce(value.place, landing, {arrived, value.ready},
                                          partner_first ? OperandOrder::target_first : OperandOrder::source_first);
    idle = {sent, reduced};
    value = {landing, reduced};
  }
  return value.ready;
}

base::Result<Schedule> build(const Request& request, Rank me, const Topology&, const ParameterSet&) {
  const BufRef operand = request.operand();
  const BufRef output{Slot::output, 0, request.bytes};
  const Fold fold(request.rank_count);
  ScheduleBuilder builder;
  if (request.rank_count == 1) {
    builder.copy(operand, output);
    return std::move(builder).finish();
  }
  const Partial value = fold_in(builder, fold, me, operand,
                                [&] { return request.in_place ? builder.scratch(request.bytes) : output; });
  if (!fold.stays(me)) {
    builder.recv(Peer::rank(fold.pair(me)), output, request.in_place ? value.ready : k_no_task);
  } else {
    const TaskId done = exchange_all(builder, fold, fold.position(me), value, output);
    if (fold.is_paired(me)) builder.send(Peer::rank(fold.pair(me)), output, done);
  }
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  if (request.bytes == 0 || request.rank_count == 1) return {};
  const Fold fold(request.rank_count);
  const uint64_t exchanges = pattern::ceil_log(static_cast<uint64_t>(fold.count()), 2);
  const uint64_t folded = fold.pair_count() > 0 ? 1 : 0;
  return {exchanges + 2 * folded, (exchanges + folded) * request.bytes};
}

}  // namespace

extern const Algorithm allreduce_recursive_doubling;
const Algorithm allreduce_recursive_doubling = {
    .name = "recursive_doubling",
    .summary = "partners at doubling distances exchange and reduce whole vectors",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 2005, §7",
    .collective = Collective::allreduce,
    .parameters = {},
    .applies = applies,
    .build = build,
    .cost = cost,
};

}  // namespace tutti::algorithm
