#include "algorithm/phase_tree.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tutti::algorithm {

TreePlace chain_place(std::span<const Rank> ranks, Rank me) {
  const auto at = std::ranges::find(ranks, me);
  TreePlace place;
  if (at != ranks.begin()) place.parent = Peer::rank(*std::prev(at));
  if (std::next(at) != ranks.end()) place.children = {Peer::rank(*std::next(at))};
  return place;
}

void pass_down(ScheduleBuilder& builder, const TreePlace& place, BufRef piece, TaskId after) {
  const TaskId here = place.is_root() ? after : builder.recv(place.parent, piece, after);
  for (auto child = place.children.rbegin(); child != place.children.rend(); ++child)
    builder.send(*child, piece, here);
}

TreeReduction::TreeReduction(ScheduleBuilder& builder, TreePlace place, pattern::Segments segments,
                             BufRef operand, BufRef result)
    : builder_(builder), place_(std::move(place)), segments_(segments), operand_(operand), result_(result) {
  if (place_.children.empty()) return;
  if (result_.empty()) passing_ = SegmentTurns(builder, segments);
  // The first child's segments are received into `result`, unless it is the operand.
  landings_.resize(place_.children.size());
  for (size_t child = result_ == operand_ ? 0 : 1; child < landings_.size(); ++child)
    landings_[child] = SegmentTurns(builder, segments);
}

TreeReduction::Segment TreeReduction::add(uint64_t i) {
  const uint64_t offset = segments_.offset(i), bytes = segments_.length(i);
  const BufRef operand = operand_.part(offset, bytes);
  Segment reduced{.place = operand};
  if (!place_.children.empty()) {
    reduced.place = result_.empty() ? passing_.place(i, bytes) : result_.part(offset, bytes);
    for (size_t child = 0; child < place_.children.size(); ++child) {
      const Peer from = place_.children[child];
      if (child == 0 && reduced.place != operand) {
        const TaskId free = result_.empty() ? passing_.free(i) : k_no_task;
        const TaskId arrived = builder_.recv(from, reduced.place, free);
        reduced.ready = builder_.reduce(operand, reduced.place, arrived, OperandOrder::source_first);
        continue;
      }
      const BufRef place = landings_[child].place(i, bytes);
      TaskId& free = landings_[child].free(i);
      const TaskId arrived = builder_.recv(from, place, free);
      reduced.ready = free =
          builder_.reduce(place, reduced.place, {reduced.ready, arrived}, OperandOrder::target_first);
    }
  }
  if (!place_.is_root()) {
    reduced.sent = builder_.send(place_.parent, reduced.place, reduced.ready);
    if (!passing_.empty()) passing_.free(i) = reduced.sent;
  }
  return reduced;
}

}  // namespace tutti::algorithm
