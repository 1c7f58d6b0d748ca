#include "algorithm/phase_reduce_scatter.hpp"

#include <algorithm>
#include <array>

#include "pattern/segments.hpp"

namespace tutti::algorithm {

using pattern::Segments;

Partial fold_in(ScheduleBuilder& builder, const pattern::Fold& fold, Rank me, BufRef operand,
                const std::function<BufRef()>& landing) {
  if (!fold.is_paired(me)) return {operand, k_no_task};
  const Peer pair = Peer::rank(fold.pair(me));
  if (!fold.stays(me)) return {operand, builder.send(pair, operand)};
  const BufRef place = landing();
  const TaskId arrived = builder.recv(pair, place);
  return {place,
          builder.reduce(operand, place, arrived,
                         fold.pair(me) < me ? OperandOrder::target_first : OperandOrder::source_first)};
}

Halved halving_reduce_scatter(ScheduleBuilder& builder, const Members& members, pattern::HalvingOrder order,
                              const Partial& partial, const BlockOffset& offset, BufRef result) {
  const auto steps = pattern::halving_steps(members.me, members.count, order);
  Halved halved;
  // `value` is the part that this position is still responsible for; it begins at `origin` of the vector and moves to
  // the buffer in which the partner's part is received, so that data in flight is never overwritten.
  BufRef value = partial.place;
  uint64_t origin = 0;
  TaskId ready = partial.ready;
  for (size_t i = 0; i < steps.size(); ++i) {
    const pattern::HalvingStep& step = steps[i];
    const auto blocks = [&](Rank first, Rank end) {
      return value.part(offset(first) - origin, offset(end) - offset(first));
    };
    const BufRef kept = blocks(step.kept_first, step.kept_end);
    const Peer partner = members.peer(step.partner);
    const bool last = i + 1 == steps.size();
    const bool ends_in_place = last && kept == result;
    const BufRef landing = last && !ends_in_place ? result : builder.scratch(kept.length);

    const TaskId sent = builder.send(partner, blocks(step.given_first, step.given_end), ready);
    const TaskId landing_free = !last || ends_in_place ? k_no_task : i == 0 ? partial.ready : halved.consumed;
    const TaskId arrived = builder.recv(partner, landing, landing_free);
    const bool partner_first = step.partner < members.me;
    if (ends_in_place)
      ready = builder.reduce(landing, kept, {arrived, ready},
                             partner_first ? OperandOrder::source_first : OperandOrder::target_first);
    else
      ready = builder.reduce(kept, landing, {arrived, ready},
                             partner_first ? OperandOrder::target_first : OperandOrder::source_first);
    if (i == 0) halved.consumed = builder.join({sent, ready});
    value = landing;
    origin = offset(step.kept_first);
  }
  halved.done = ready;
  return halved;
}

RingReduced ring_reduce_scatter(ScheduleBuilder& builder, const Members& members, BufRef operand,
                                const BlockOffset& offset, uint64_t segment_bytes, BufRef result) {
  const Rank count = members.count, me = members.me;
  const Peer right = members.peer((me + 1) % count), left = members.peer((me + count - 1) % count);
  const auto block = [&](Rank b) { return operand.part(offset(b), offset(b + 1) - offset(b)); };
  const bool in_place = block(me) == result;
  uint64_t longest = 0;
  for (Rank b = 0; b < count; ++b) longest = std::max(longest, block(b).length);

  // Two receive buffers alternate: while one is being sent the other is being filled.
  const Rank landing_count = count - 1 - (in_place ? 0 : 1);
  const std::array<BufRef, 2> landings = {builder.scratch(landing_count > 0 ? longest : 0),
                                          builder.scratch(landing_count > 1 ? longest : 0)};
  std::array<TaskIds, 2> landing_free;
  RingReduced reduced;
  reduced.consumed.resize(static_cast<size_t>(count));

  BufRef leaving = block((me + count - 1) % count);
  TaskIds leaving_ready(Segments{leaving.length, segment_bytes}.count(), k_no_task);
  for (Rank step = 1; step < count; ++step) {
    const size_t turn = static_cast<size_t>(step - 1) % 2;
    const Segments out{leaving.length, segment_bytes};
    // The first step sends the operand, the later ones a receive buffer. If a short block uses the buffer of a longer
    // previous one, the tasks of the remaining segments stay in the list.
    TaskIds& sent =
        step == 1 ? reduced.consumed[static_cast<size_t>((me + count - 1) % count)] : landing_free[1 - turn];
    sent.resize(std::max<size_t>(sent.size(), out.count()), k_no_task);
    for (uint64_t s = 0; s < out.count(); ++s)
      sent[s] = builder.send(right, leaving.part(out.offset(s), out.length(s)), leaving_ready[s]);

    const Rank b = (me - step - 1 + count) % count;
    const BufRef mine = block(b);
    const Segments in{mine.length, segment_bytes};
    const bool last = step == count - 1;
    const bool ends_in_place = last && in_place;
    const BufRef landing = last && !in_place ? result : landings[turn].part(0, mine.length);
    leaving_ready.assign(in.count(), k_no_task);
    for (uint64_t s = 0; s < in.count(); ++s) {
      const BufRef own = mine.part(in.offset(s), in.length(s));
      const BufRef theirs = landing.part(in.offset(s), in.length(s));
      const TaskIds& free = landing_free[turn];
      const TaskId arrived = builder.recv(left, theirs, s < free.size() ? free[s] : k_no_task);
      leaving_ready[s] =
          ends_in_place ? builder.reduce(theirs, own, arrived) : builder.reduce(own, theirs, arrived);
    }
    reduced.consumed[static_cast<size_t>(b)] = leaving_ready;
    leaving = landing;
  }
  reduced.done = std::move(leaving_ready);
  return reduced;
}

void tally_fold_in(Tally& tally, const pattern::Fold& fold, uint64_t bytes) {
  for (Rank position = 0; position < fold.pair_count(); ++position)
    tally.message(fold.pair(fold.rank(position)), fold.rank(position), bytes);
}

namespace {

/// Counts the exchanges of one step: each member sends one half (halving) or returns the half that it kept (doubling).
void tally_step(Tally& tally, const pattern::Fold& fold, pattern::HalvingOrder order, Rank index, bool back,
                const BlockOffset& offset) {
  for (Rank position = 0; position < fold.count(); ++position) {
    const auto step = pattern::halving_step(position, fold.count(), order, index);
    if (position > step.partner) continue;
    const uint64_t kept = offset(step.kept_end) - offset(step.kept_first);
    const uint64_t given = offset(step.given_end) - offset(step.given_first);
    // The half that one partner keeps is the half that the other gives.
    tally.exchange(fold.rank(position), fold.rank(step.partner), back ? kept : given, back ? given : kept);
  }
}

Rank step_count(const pattern::Fold& fold) {
  return static_cast<Rank>(pattern::ceil_log(static_cast<uint64_t>(fold.count()), 2));
}

}  // namespace

void tally_halving(Tally& tally, const pattern::Fold& fold, pattern::HalvingOrder order,
                   const BlockOffset& offset) {
  for (Rank i = 0; i < step_count(fold); ++i) tally_step(tally, fold, order, i, false, offset);
}

void tally_doubling(Tally& tally, const pattern::Fold& fold, pattern::HalvingOrder order,
                    const BlockOffset& offset) {
  for (Rank i = step_count(fold); i-- > 0;) tally_step(tally, fold, order, i, true, offset);
}

}  // namespace tutti::algorithm
