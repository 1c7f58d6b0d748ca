#include "algorithm/allreduce/halving_doubling.hpp"

#include <utility>

#include "algorithm/phase_allgather.hpp"
#include "algorithm/phase_reduce_scatter.hpp"
#include "pattern/even_blocks.hpp"

namespace tutti::algorithm {

using pattern::EvenBlocks;
using pattern::Fold;
using pattern::HalvingOrder;

namespace {

/// The part of the ranks that stay after folding.
void halve_and_double(ScheduleBuilder& builder, const Request& request, HalvingOrder order, const Fold& fold,
                      Rank me, const Partial& partial) {
  const BufRef output{Slot::output, 0, request.bytes};
  const EvenBlocks blocks{request.bytes, request.element_bytes, fold.count()};
  const auto offset = [&](Rank block) { return blocks.offset(block); };
  const Members members{fold.count(), fold.position(me), [&](Rank v) { return Peer::rank(fold.rank(v)); }};
  const Rank block = pattern::halving_steps(members.me, members.count, order).back().kept_first;

  const Halved halved = halving_reduce_scatter(builder, members, order, partial, offset,
                                               output.part(blocks.offset(block), blocks.length(block)));
  const bool overwrites = partial.place == output || request.in_place;
  const TaskIds complete = recursive_doubling_allgather(builder, members, order, output, offset, halved.done,
                                                        overwrites ? halved.consumed : k_no_task);
  if (fold.is_paired(me)) builder.send(Peer::rank(fold.pair(me)), output, complete);
}

}  // namespace

base::Result<Schedule> build_halving_doubling(const Request& request, Rank me, HalvingOrder order) {
  const BufRef operand = request.operand();
  const BufRef output{Slot::output, 0, request.bytes};
  const Fold fold(request.rank_count);
  ScheduleBuilder builder;
  if (request.rank_count == 1) return reduce_alone(request);
  const Partial partial = fold_in(builder, fold, me, operand,
                                  [&] { return request.in_place ? builder.scratch(request.bytes) : output; });
  if (fold.stays(me))
    halve_and_double(builder, request, order, fold, me, partial);
  else
    builder.recv(Peer::rank(fold.pair(me)), output, request.in_place ? partial.ready : k_no_task);
  return std::move(builder).finish();
}

Cost halving_doubling_cost(const Request& request, HalvingOrder order) {
  const Fold fold(request.rank_count);
  const EvenBlocks blocks{request.bytes, request.element_bytes, fold.count()};
  const auto offset = [&](Rank block) { return blocks.offset(block); };
  Tally tally(request.rank_count);
  tally_fold_in(tally, fold, request.bytes);
  tally_halving(tally, fold, order, offset);
  tally_doubling(tally, fold, order, offset);
  for (Rank position = 0; position < fold.pair_count(); ++position)
    tally.message(fold.rank(position), fold.pair(fold.rank(position)), request.bytes);
  return tally.cost();
}

}  // namespace tutti::algorithm
