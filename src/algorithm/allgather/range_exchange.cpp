#include "algorithm/allgather/range_exchange.hpp"

namespace tutti::algorithm {

RangeExchange::RangeExchange(ScheduleBuilder& builder, const Request& request, Rank me)
    : builder_(builder),
      start_(start_allgather(builder, request, me)),
      ranges_are_one_piece_(request.collective == Collective::allgather),
      ready_(static_cast<size_t>(request.rank_count), k_no_task) {
  ready(me) = start_.own_placed;
}

void RangeExchange::send(Rank to, Rank first, Rank count) {
  if (count > 1 && ranges_are_one_piece_) {
    TaskIds after;
    // Blocks that arrived in one message share a task, of which one dependency is sufficient.
    for (Rank i = first; i < first + count; ++i)
      if (after.empty() || after.back() != ready(i)) after.push_back(ready(i));
    const BufRef message = range(first, count);
    if (!message.empty()) builder_.send(start_.members.peer(to), message, after);
    return;
  }
  for (Rank i = first; i < first + count; ++i) {
    const bool own = i == start_.members.me;  // sent without waiting for the copy to the output
    builder_.send(start_.members.peer(to), own ? start_.own : range(i, 1), own ? k_no_task : ready(i));
  }
}

void RangeExchange::recv(Rank from, Rank first, Rank count) {
  const Rank step = ranges_are_one_piece_ ? count : 1;
  for (Rank i = first; i < first + count; i += step) {
    const TaskId arrived = builder_.recv(start_.members.peer(from), range(i, step));
    for (Rank block = i; block < i + step; ++block) ready(block) = arrived;
  }
}

BufRef RangeExchange::range(Rank first, Rank count) const {
  BufRef all = start_.places[static_cast<size_t>(first)];
  for (Rank i = first + 1; i < first + count; ++i) all.length += start_.places[static_cast<size_t>(i)].length;
  return all;
}

}  // namespace tutti::algorithm
