#include "algorithm/phase_allgather.hpp"

#include "pattern/knomial.hpp"
#include "pattern/segments.hpp"

namespace tutti::algorithm {

using pattern::Segments;

namespace {

/// The task of a segment in a list that is empty, has one task for all segments, or has one per segment.
TaskId of_segment(const TaskIds& ids, uint64_t segment) {
  if (ids.empty()) return k_no_task;
  return ids.size() == 1 ? ids.front() : ids[segment];
}

bool holds(HeldBlocks held, Rank position, Rank count, Rank block) {
  return block >= position && block < position + held(position, count);
}

}  // namespace

Rank binomial_subtree(Rank position, Rank count) {
  return pattern::KnomialTree{count, 2}.span(position);
}

void ring_allgather(ScheduleBuilder& builder, const Members& members, std::span<const BufRef> blocks,
                    uint64_t segment_bytes, std::vector<TaskIds>& ready, std::span<const TaskIds> writable,
                    HeldBlocks held) {
  const Rank count = members.count, me = members.me;
  const Rank right = (me + 1) % count, left = (me + count - 1) % count;
  // Ordered by step, and by segment within a step: a link carries the blocks without gaps, and a segment is sent as
  // soon as it has arrived and the link is free.
  for (Rank step = 1; step < count; ++step) {
    const Rank leaving = (me - step + 1 + count) % count;
    const Rank coming = (me - step + count) % count;
    if (!holds(held, right, count, leaving)) {
      const BufRef block = blocks[static_cast<size_t>(leaving)];
      const Segments segments{block.length, segment_bytes};
      for (uint64_t s = 0; s < segments.count(); ++s)
        builder.send(members.peer(right), block.part(segments.offset(s), segments.length(s)),
                     of_segment(ready[static_cast<size_t>(leaving)], s));
    }
    if (!holds(held, me, count, coming)) {
      const BufRef block = blocks[static_cast<size_t>(coming)];
      const Segments segments{block.length, segment_bytes};
      TaskIds arrived(segments.count());
      for (uint64_t s = 0; s < segments.count(); ++s)
        arrived[s] =
            builder.recv(members.peer(left), block.part(segments.offset(s), segments.length(s)),
                         writable.empty() ? k_no_task : of_segment(writable[static_cast<size_t>(coming)], s));
      ready[static_cast<size_t>(coming)] = std::move(arrived);
    }
  }
}

Cost ring_allgather_cost(const Request& request, const Topology&, const ParameterSet&) {
  const uint64_t total = request.blocks.total(request.rank_count);
  if (total == 0 || request.rank_count == 1) return {};
  return {static_cast<uint64_t>(request.rank_count - 1), total - request.blocks.smallest(request.rank_count)};
}

TaskIds recursive_doubling_allgather(ScheduleBuilder& builder, const Members& members,
                                     pattern::HalvingOrder order, BufRef vector, const BlockOffset& offset,
                                     TaskId ready, TaskId writable, HeldBlocks held) {
  const auto blocks = [&](Rank first, Rank end) {
    return vector.part(offset(first), offset(end) - offset(first));
  };
  // A position that holds the first block of a run at the start holds the complete run: runs and subtrees are both
  // aligned to powers of two.
  const bool natural = order == pattern::HalvingOrder::far_first;
  TaskIds here{ready};
  const auto steps = pattern::halving_steps(members.me, members.count, order);
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const Peer partner = members.peer(step->partner);
    if (!natural || !holds(held, step->partner, members.count, step->kept_first))
      builder.send(partner, blocks(step->kept_first, step->kept_end), here);
    if (!natural || !holds(held, members.me, members.count, step->given_first))
      here.push_back(builder.recv(partner, blocks(step->given_first, step->given_end), writable));
  }
  return here;
}

}  // namespace tutti::algorithm
