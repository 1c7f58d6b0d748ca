#include "algorithm/allgather/own_block.hpp"

#include "algorithm/block_layout.hpp"

namespace tutti::algorithm {

AllgatherStart start_allgather(ScheduleBuilder& builder, const Request& request, Rank me) {
  const BlockLayout layout(request.blocks, request.rank_count, Slot::output);
  AllgatherStart start;
  start.members = ranks_from(0, request, me);
  start.places.reserve(static_cast<size_t>(request.rank_count));
  for (Rank r = 0; r < request.rank_count; ++r) start.places.push_back(layout.block(r));

  const BufRef place = layout.block(me);
  start.own = request.in_place ? place : BufRef{Slot::input, 0, place.length};
  start.own_placed = builder.copy(start.own, place);
  return start;
}

}  // namespace tutti::algorithm
