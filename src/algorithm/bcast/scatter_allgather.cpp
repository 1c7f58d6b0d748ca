#include "algorithm/bcast/scatter_allgather.hpp"

#include "pattern/knomial.hpp"

namespace tutti::algorithm {

using pattern::EvenBlocks;
using pattern::KnomialTree;

EvenBlocks message_blocks(const Request& request) {
  return {request.bytes, request.element_bytes, request.rank_count};
}

TaskId scatter_message(ScheduleBuilder& builder, const Members& members, const Request& request) {
  const EvenBlocks blocks = message_blocks(request);
  const KnomialTree tree{members.count, 2};
  const auto subtree = [&](Rank position, Rank span) {
    const uint64_t begin = blocks.offset(position);
    return BufRef{Slot::output, begin, blocks.offset(position + span) - begin};
  };
  TaskId arrived = k_no_task;
  if (members.me > 0)
    arrived = builder.recv(members.peer(tree.parent(members.me)), subtree(members.me, tree.span(members.me)));
  const auto children = tree.children(members.me);
  for (auto child = children.rbegin(); child != children.rend(); ++child)
    builder.send(members.peer(child->position), subtree(child->position, child->span), arrived);
  return arrived;
}

void tally_scatter(Tally& tally, const Request& request) {
  const EvenBlocks blocks = message_blocks(request);
  const KnomialTree tree{request.rank_count, 2};
  // Parents precede their children in this order.
  for (Rank v = 1; v < request.rank_count; ++v)
    tally.message(tree.parent(v), v, blocks.offset(v + tree.span(v)) - blocks.offset(v));
}

}  // namespace tutti::algorithm
