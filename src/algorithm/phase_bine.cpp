#include "algorithm/phase_bine.hpp"

#include <algorithm>

namespace tutti::algorithm {

using pattern::BineButterfly;
using schedule::BufRef;
using schedule::k_no_task;
using schedule::Peer;
using schedule::Rank;
using schedule::ScheduleBuilder;

namespace {

/// A run of blocks, which may wrap around past the last one.
class Run {
 public:
  Run(const BineButterfly& butterfly, Rank position, Rank steps)
      : first_(butterfly.first_met(position, steps)), span_(Rank{1} << steps), count_(butterfly.count) {}

  Rank first() const { return first_; }
  /// Bytes of the `count` blocks from `first` on.
  uint64_t bytes_from(Rank first, Rank count, const BlockOffset& offset) const {
    const Rank unwrapped = std::min(count, count_ - first);
    return offset(first + unwrapped) - offset(first) + offset(count - unwrapped) - offset(0);
  }
  uint64_t bytes(const BlockOffset& offset) const { return bytes_from(first_, span_, offset); }
  /// Bytes of this run before block `block` of it.
  uint64_t before(Rank block, const BlockOffset& offset) const {
    return bytes_from(first_, (block - first_ + count_) % count_, offset);
  }
  /// Calls visit(place in a vector of all blocks in order, place in the run) for its one or two parts.
  template <class Visit>
  void for_each_part(const BlockOffset& offset, Visit visit) const {
    const Rank unwrapped = std::min(span_, count_ - first_);
    const uint64_t length = offset(first_ + unwrapped) - offset(first_);
    visit(offset(first_), uint64_t{0}, length);
    if (unwrapped < span_) visit(uint64_t{0}, length, offset(span_ - unwrapped));
  }

 private:
  Rank first_, span_, count_;
};

/// What a position is still responsible for: at first a vector of all blocks in order, then a run.
class Kept {
 public:
  Kept(ScheduleBuilder& builder, const Members& members, const BlockOffset& offset)
      : builder_(builder), members_(members), offset_(offset), butterfly_{members.count} {}

  /// The first step, in which runs of the vector may be in two parts.
  void leave(const Partial& partial, BufRef result) {
    const Rank step = butterfly_.steps() - 1;
    const Run keeps = own(step), gives = partners(step);
    const BufRef own_place =
        partial.place.part(offset_(members_.me), offset_(members_.me + 1) - offset_(members_.me));
    const bool is_last = step == 0, in_place = is_last && own_place == result;
    value_ = is_last && !in_place ? result : builder_.scratch(keeps.bytes(offset_));
    TaskIds used, reduced;
    gives.for_each_part(offset_, [&](uint64_t at, uint64_t, uint64_t length) {
      used.push_back(builder_.send(partner(step), partial.place.part(at, length), partial.ready));
    });
    keeps.for_each_part(offset_, [&](uint64_t at, uint64_t in_run, uint64_t length) {
      const BufRef mine = partial.place.part(at, length), theirs = value_.part(in_run, length);
      const TaskId arrived =
          builder_.recv(partner(step), theirs, is_last && !in_place ? partial.ready : k_no_task);
      reduced.push_back(in_place ? builder_.reduce(theirs, mine, {arrived, partial.ready})
                                 : builder_.reduce(mine, theirs, {arrived, partial.ready}));
    });
    ready_ = builder_.join(reduced);
    used.push_back(ready_);
    consumed_ = builder_.join(used);
    origin_ = keeps;
  }

  /// A later step, with runs in one part.
  void halve(Rank step, BufRef result) {
    const Run keeps = own(step);
    const bool is_last = step == 0;
    const BufRef mine = part(keeps), landing = is_last ? result : builder_.scratch(mine.length);
    builder_.send(partner(step), part(partners(step)), ready_);
    const TaskId arrived = builder_.recv(partner(step), landing, is_last ? consumed_ : k_no_task);
    ready_ = builder_.reduce(mine, landing, {arrived, ready_});
    value_ = landing;
    origin_ = keeps;
  }

  Halved halved() const { return {.done = ready_, .consumed = consumed_}; }

 private:
  Peer partner(Rank step) const { return members_.peer(butterfly_.partner(members_.me, step)); }
  Run own(Rank step) const { return {butterfly_, members_.me, step}; }
  Run partners(Rank step) const { return {butterfly_, butterfly_.partner(members_.me, step), step}; }
  BufRef part(const Run& run) const {
    return value_.part(origin_.before(run.first(), offset_), run.bytes(offset_));
  }

  ScheduleBuilder& builder_;
  const Members& members_;
  const BlockOffset& offset_;
  const BineButterfly butterfly_;
  BufRef value_;
  Run origin_{butterfly_, 0, 0};  // the run that value_ holds
  TaskId ready_ = k_no_task, consumed_ = k_no_task;
};

}  // namespace

Halved bine_reduce_scatter(ScheduleBuilder& builder, const Members& members, const Partial& partial,
                           const BlockOffset& offset, BufRef result) {
  Kept kept(builder, members, offset);
  kept.leave(partial, result);
  for (Rank step = BineButterfly{members.count}.steps() - 1; step-- > 0;) kept.halve(step, result);
  return kept.halved();
}

TaskIds bine_allgather(ScheduleBuilder& builder, const Members& members, BufRef vector,
                       const BlockOffset& offset, TaskId ready, TaskId writable) {
  const BineButterfly butterfly{members.count};
  TaskIds here{ready};
  for (Rank step = 0; step < butterfly.steps(); ++step) {
    const Rank partner = butterfly.partner(members.me, step);
    TaskIds arrived;
    Run(butterfly, members.me, step).for_each_part(offset, [&](uint64_t at, uint64_t, uint64_t length) {
      builder.send(members.peer(partner), vector.part(at, length), here);
    });
    Run(butterfly, partner, step).for_each_part(offset, [&](uint64_t at, uint64_t, uint64_t length) {
      arrived.push_back(builder.recv(members.peer(partner), vector.part(at, length), writable));
    });
    here.insert(here.end(), arrived.begin(), arrived.end());
  }
  return here;
}

namespace {

/// The exchanges of one step: everybody gives the run of its partner, or its own.
void tally_step(Tally& tally, const pattern::Fold& fold, Rank step, bool back, const BlockOffset& offset) {
  const BineButterfly butterfly{fold.count()};
  for (Rank position = 0; position < fold.count(); ++position) {
    const Rank partner = butterfly.partner(position, step);
    if (position > partner) continue;
    const uint64_t own = Run(butterfly, position, step).bytes(offset),
                   other = Run(butterfly, partner, step).bytes(offset);
    tally.exchange(fold.rank(position), fold.rank(partner), back ? own : other, back ? other : own);
  }
}

}  // namespace

void tally_bine_reduce_scatter(Tally& tally, const pattern::Fold& fold, const BlockOffset& offset) {
  for (Rank step = BineButterfly{fold.count()}.steps(); step-- > 0;)
    tally_step(tally, fold, step, false, offset);
}

void tally_bine_allgather(Tally& tally, const pattern::Fold& fold, const BlockOffset& offset) {
  for (Rank step = 0; step < BineButterfly{fold.count()}.steps(); ++step)
    tally_step(tally, fold, step, true, offset);
}

}  // namespace tutti::algorithm
