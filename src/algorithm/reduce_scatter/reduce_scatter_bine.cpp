// Bine butterfly reduce-scatter (De Sensi et al.: Bine Trees, SC 2025; pattern/bine.hpp): in every round a rank keeps
// the run of blocks that it and its later partners need, and sends its partner's run.
//
//   8 ranks, rank 0       round 1   0 ◄─► 3: 2,3,4,5 | 6,7,0,1
//                         round 2   0 ◄─► 7: 6,7 | 0,1
//                         round 3   0 ◄─► 1: 1 | 0
//
// Powers of two only. Rounds log2 p, busiest rank n·(p-1)/p bytes for equal blocks. A run of the first round that wraps
// around after the last block is two messages. The operator must commute.

#include <algorithm>
#include <optional>

#include "algorithm/applicability.hpp"
#include "algorithm/reduce_scatter/packed_blocks.hpp"
#include "algorithm/tally.hpp"
#include "pattern/bine.hpp"

namespace tutti::algorithm {
namespace {

using pattern::BineButterfly;

/// A run of blocks, which may wrap around after the last one.
class Run {
 public:
  /// The run that `position` has exchanged with after `steps` steps.
  Run(const BineButterfly& butterfly, Rank position, Rank steps)
      : first_(butterfly.first_met(position, steps)), span_(Rank{1} << steps), count_(butterfly.count) {}

  uint64_t bytes(const BlockOffset& offset) const { return bytes_of(span_, offset); }
  /// Bytes of this run before `inner`, which must lie in it.
  uint64_t before(const Run& inner, const BlockOffset& offset) const {
    return bytes_of((inner.first_ - first_ + count_) % count_, offset);
  }
  /// Calls visit(offset in a vector of all blocks, offset in the run, bytes) for its one or two parts.
  template <class Visit>
  void for_each_part(const BlockOffset& offset, Visit visit) const {
    const Rank unwrapped = std::min(span_, count_ - first_);
    const uint64_t length = offset(first_ + unwrapped) - offset(first_);
    visit(offset(first_), uint64_t{0}, length);
    if (unwrapped < span_) visit(uint64_t{0}, length, offset(span_ - unwrapped));
  }

 private:
  /// Bytes of the first `blocks` blocks of the run.
  uint64_t bytes_of(Rank blocks, const BlockOffset& offset) const {
    const Rank unwrapped = std::min(blocks, count_ - first_);
    return offset(first_ + unwrapped) - offset(first_) + offset(blocks - unwrapped);
  }

  Rank first_, span_, count_;
};

/// The data that a rank is still responsible for: at first its operand, with all blocks in order, then a run.
class RetainedBlocks {
 public:
  RetainedBlocks(ScheduleBuilder& builder, const Request& request, Rank me, const BlockOffset& offset)
      : builder_(builder),
        butterfly_{request.rank_count},
        me_(me),
        offset_(offset),
        operand_{Slot::input, 0, request.bytes},
        result_{Slot::output, 0, offset(me + 1) - offset(me)} {}

  /// The first step, in which runs may have two parts.
  void leave_operand() {
    const Rank step = butterfly_.steps() - 1;
    const Run keeps = own(step);
    const BufRef landing = landing_of(step);
    std::vector<TaskId> reduced;
    partners(step).for_each_part(offset_, [&](uint64_t at, uint64_t, uint64_t length) {
      builder_.send(partner(step), operand_.part(at, length));
    });
    keeps.for_each_part(offset_, [&](uint64_t at, uint64_t in_run, uint64_t length) {
      const BufRef part = landing.part(in_run, length);
      const TaskId arrived = builder_.recv(partner(step), part);
      reduced.push_back(builder_.reduce(operand_.part(at, length), part, arrived));
    });
    hold(keeps, landing, builder_.join(reduced));
  }

  void halve(Rank step) {
    const Run keeps = own(step);
    const BufRef landing = landing_of(step);
    builder_.send(partner(step), part(partners(step)), ready_);
    const TaskId arrived = builder_.recv(partner(step), landing);
    hold(keeps, landing, builder_.reduce(part(keeps), landing, {arrived, ready_}));
  }

 private:
  Peer partner(Rank step) const { return Peer::rank(butterfly_.partner(me_, step)); }
  Run own(Rank step) const { return {butterfly_, me_, step}; }
  Run partners(Rank step) const { return {butterfly_, butterfly_.partner(me_, step), step}; }
  BufRef landing_of(Rank step) { return step == 0 ? result_ : builder_.scratch(own(step).bytes(offset_)); }
  BufRef part(const Run& run) const { return value_.part(held_->before(run, offset_), run.bytes(offset_)); }
  void hold(const Run& run, BufRef value, TaskId ready) {
    held_ = run;
    value_ = value;
    ready_ = ready;
  }

  ScheduleBuilder& builder_;
  const BineButterfly butterfly_;
  const Rank me_;
  const BlockOffset& offset_;
  const BufRef operand_, result_;
  std::optional<Run> held_;  // the run in value_
  BufRef value_;
  TaskId ready_ = k_no_task;
};

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet&) {
  const BlockOffset offset = packed_blocks(request);
  ScheduleBuilder builder;
  if (request.rank_count == 1) return reduce_alone(request);
  RetainedBlocks kept(builder, request, me, offset);
  kept.leave_operand();
  for (Rank step = BineButterfly{request.rank_count}.steps() - 1; step-- > 0;) kept.halve(step);
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  const BlockOffset offset = packed_blocks(request);
  const BineButterfly butterfly{request.rank_count};
  Tally tally(request.rank_count);
  for (Rank step = butterfly.steps(); step-- > 0;)
    for (Rank rank = 0; rank < request.rank_count; ++rank) {
      const Rank partner = butterfly.partner(rank, step);
      // Each sends the run that the other keeps.
      if (rank < partner)
        tally.exchange(rank, partner, Run(butterfly, partner, step).bytes(offset),
                       Run(butterfly, rank, step).bytes(offset));
    }
  return tally.cost();
}

constexpr Algorithm row(Collective collective) {
  return {.name = "bine",
          .summary = "partners at Bine distances exchange parts of the vector",
          .source = "De Sensi et al., SC 2025",
          .collective = collective,
          .parameters = {},
          .applies = applies_if<power_of_two_ranks, operator_commutes>,
          .build = build,
          .cost = cost,
          .is_for_large_network = true};
}

}  // namespace

extern const Algorithm reduce_scatter_bine = row(Collective::reduce_scatter);
extern const Algorithm reduce_scatter_block_bine = row(Collective::reduce_scatter_block);

}  // namespace tutti::algorithm
