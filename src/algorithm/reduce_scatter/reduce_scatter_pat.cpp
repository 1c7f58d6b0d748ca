// Reduce-scatter with parallel aggregated trees (Jeaugey: PAT, arXiv:2506.20252, 2025; pattern/pat.hpp): the reverse of
// the allgather. Half of the blocks go to the nearest rank and one block to the farthest; each receiver reduces them
// with its own values.
//
//   round   1          2      3              p = 8: blocks that rank 0 sends
//   0 ─► 7  7 5 3 1
//   0 ─► 6             6 2
//   0 ─► 4                    4
//
// Rounds ⌈log2 p⌉ for any p while the joined blocks fit into a segment, busiest rank (p-1)·n bytes. Joined blocks are
// packed. The blocks received in the first round, half of the vector, stay in their receive buffer; the later rounds
// need four segments of scratch memory. The operator must commute.

#include <algorithm>
#include <vector>

#include "algorithm/applicability.hpp"
#include "algorithm/pat_messages.hpp"
#include "algorithm/reduce_scatter/packed_blocks.hpp"

namespace tutti::algorithm {
namespace {

class PatReduceScatter final : public PatValues {
 public:
  PatReduceScatter(ScheduleBuilder& builder, const PatMessages& messages, const Request& request, Rank me)
      : PatValues(builder, messages, me) {
    const BlockOffset offset = packed_blocks(request);
    for (Rank s = 0; s < request.rank_count; ++s) {
      const Rank block = messages.owner(me, s);
      values_.push_back({{Slot::input, offset(block), offset(block + 1) - offset(block)}});
    }
    result_ = {Slot::output, 0, values_[0].place.length};
  }

  /// Reduces received blocks with the values of this rank.
  void recv(Rank from, Rank distance, const PatMessages::Message& message) {
    const uint64_t bytes = messages_.bytes(me_, distance, message);
    if (distance == messages_.farthest()) {
      recv_at(from, distance, message, result_);
    } else if (distance == 1) {
      recv_at(from, distance, message, builder_.scratch(bytes));
    } else {
      const Turns::Place place = landing_.next(bytes);
      const TaskId arrived = builder_.recv(Peer::rank(from), place.memory, place.free);
      TaskIds reduced;
      messages_.for_each_block(me_, distance, message, [&](Rank offset, uint64_t at, uint64_t length) {
        Value& mine = value(me_, distance, offset);
        mine.ready = builder_.reduce(place.memory.part(at, length), mine.place, {arrived, mine.ready});
        reduced.push_back(mine.ready);
      });
      landing_.hold_until(builder_.join(reduced));
    }
  }

 private:
  /// The values then stay in `landing`.
  void recv_at(Rank from, Rank distance, const PatMessages::Message& message, BufRef landing) {
    const TaskId arrived = builder_.recv(Peer::rank(from), landing);
    messages_.for_each_block(me_, distance, message, [&](Rank offset, uint64_t at, uint64_t length) {
      Value& mine = value(me_, distance, offset);
      const BufRef part = landing.part(at, length);
      mine = {part, builder_.reduce(mine.place, part, {arrived, mine.ready})};
    });
  }

  BufRef result_;
};

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet& parameters) {
  const Rank p = request.rank_count;
  ScheduleBuilder builder;
  if (request.rank_count == 1) return reduce_alone(request);
  const PatMessages messages(request, parameters[0]);
  PatReduceScatter scatters(builder, messages, request, me);
  for (Rank distance = 1; distance < p; distance *= 2) {
    const Rank to = messages.owner(me, distance), from = (me + distance) % p;
    for (const auto& message : messages.between(to, distance)) scatters.send(to, to, distance, message);
    for (const auto& message : messages.between(me, distance)) scatters.recv(from, distance, message);
  }
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
  return pat_cost(request, parameters[0], false);
}

constexpr Algorithm row(Collective collective) {
  return {.name = "pat",
          .summary = "a tree for each block, near ways first, short messages joined",
          .source = "Jeaugey, arXiv:2506.20252, 2025",
          .collective = collective,
          .parameters = k_pat_parameters,
          .applies = operator_commutes,
          .build = build,
          .cost = cost,
          .is_for_large_network = true,
          .is_the_same_for_all = true};
}

}  // namespace

extern const Algorithm reduce_scatter_pat = row(Collective::reduce_scatter);
extern const Algorithm reduce_scatter_block_pat = row(Collective::reduce_scatter_block);

}  // namespace tutti::algorithm
