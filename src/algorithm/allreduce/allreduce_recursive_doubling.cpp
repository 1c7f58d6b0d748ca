// Recursive doubling allreduce (Thakur, Rabenseifner, Gropp, IJHPCA 2005, §7): partners at distance 1, 2, 4, … exchange
// their partial results. A number of ranks that is not a power of two is folded first: in each pair of neighbours one
// rank sends its operand to the other and receives the result at the end.
//
//   6 ranks     fold      1 ─► 0     3 ─► 2
//               round 1   0 ◄─► 2    4 ◄─► 5
//               round 2   0 ◄─► 4    2 ◄─► 5
//               unfold    0 ─► 1     2 ─► 3
//
// With P the largest power of two not above p: rounds log2 P, busiest rank n·log2 P bytes. If p > P: n bytes more, and
// two rounds more if p > 3/2·P, otherwise one (no chain then has both a fold and an unfold message). Both partners
// combine lower op upper, so that all ranks get the same bits and operators need not commute.

#include <array>

#include "algorithm/applicability.hpp"
#include "algorithm/phase_reduce_scatter.hpp"

namespace tutti::algorithm {
namespace {

using pattern::Fold;

/// Receive buffers of the exchanges: alternately the output and scratch memory, so that a buffer in flight is not
/// overwritten and the last value is received in the output.
class Landings {
 public:
  Landings(ScheduleBuilder& builder, const Request& request)
      : builder_(builder), output_{Slot::output, 0, request.bytes} {}

  const BufRef& output() const { return output_; }
  /// A buffer other than `value`, with `left` exchanges after this one.
  BufRef next(const BufRef& value, uint32_t left) {
    if (left % 2 == 0 && value != output_) return output_;
    BufRef& scratch = value == scratch_[0] ? scratch_[1] : scratch_[0];
    if (scratch.empty()) scratch = builder_.scratch(output_.length);
    return scratch;
  }

 private:
  ScheduleBuilder& builder_;
  BufRef output_;
  std::array<BufRef, 2> scratch_{};
};

/// Adds the exchanges among the positions; the value ends in the output. Returns the task that completes it.
TaskId exchange_all(ScheduleBuilder& builder, const Fold& fold, Rank position, Partial value,
                    Landings& landings) {
  uint32_t left = pattern::ceil_log(static_cast<uint64_t>(fold.count()), 2);
  TaskIds used{value.ready};  // tasks that access buffers which may be written again
  for (Rank distance = 1; distance < fold.count(); distance *= 2) {
    const Peer partner = Peer::rank(fold.rank(position ^ distance));
    const bool partner_first = (position & distance) != 0;
    const BufRef landing = landings.next(value.place, --left);
    const TaskId sent = builder.send(partner, value.place, value.ready);
    const TaskId arrived = builder.recv(partner, landing, used);
    if (left == 0 && landing != landings.output())  // a single exchange, in place
      return builder.reduce(landing, value.place, {arrived, value.ready, sent},
                            partner_first ? OperandOrder::source_first : OperandOrder::target_first);
    const TaskId reduced =
        builder.reduce(value.place, landing, {arrived, value.ready},
                       partner_first ? OperandOrder::target_first : OperandOrder::source_first);
    used.insert(used.end(), {sent, reduced});
    value = {landing, reduced};
  }
  return value.ready;
}

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet&) {
  const BufRef operand = request.operand();
  const BufRef output{Slot::output, 0, request.bytes};
  const Fold fold(request.rank_count);
  ScheduleBuilder builder;
  if (request.rank_count == 1) return reduce_alone(request);
  Landings landings(builder, request);
  const uint32_t exchanges = pattern::ceil_log(static_cast<uint64_t>(fold.count()), 2);
  const Partial value =
      fold_in(builder, fold, me, operand, [&] { return landings.next(operand, exchanges); });
  if (!fold.stays(me)) {
    builder.recv(Peer::rank(fold.pair(me)), output, request.in_place ? value.ready : k_no_task);
  } else {
    const TaskId done = exchange_all(builder, fold, fold.position(me), value, landings);
    if (fold.is_paired(me)) builder.send(Peer::rank(fold.pair(me)), output, done);
  }
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  if (request.bytes == 0 || request.rank_count == 1) return {};
  const Fold fold(request.rank_count);
  const uint64_t exchanges = pattern::ceil_log(static_cast<uint64_t>(fold.count()), 2);
  if (fold.pair_count() == 0) return {exchanges, exchanges * request.bytes};
  // A folded operand reaches the position with the complementary bits last. If that position represents a pair, too,
  // the chain has both a fold and an unfold message.
  const bool both_ends = 2 * fold.pair_count() > fold.count();
  return {exchanges + (both_ends ? 2 : 1), (exchanges + 1) * request.bytes};
}

}  // namespace

extern const Algorithm allreduce_recursive_doubling = {
    .name = "recursive_doubling",
    .summary = "partners at doubling distances exchange and reduce whole vectors",
    .source = "Thakur, Rabenseifner, Gropp, IJHPCA 2005, §7",
    .collective = Collective::allreduce,
    .parameters = {},
    .applies = applies_always,
    .build = build,
    .cost = cost,
};

}  // namespace tutti::algorithm
