// Allgather(v) with parallel aggregated trees (Jeaugey: PAT, arXiv:2506.20252, 2025; pattern/pat.hpp): Bruck's rounds
// in reverse order. A message to the farthest rank has one block, one to the nearest rank has half of all blocks.
//
//   round   1       2         3              p = 8: rank 0 gets the blocks
//   4 ─► 0  4
//   6 ─► 0          6 2
//   7 ─► 0                    7 5 3 1
//
// Rounds ⌈log2 p⌉ for any p while the joined blocks fit into a segment, busiest rank (p-1)·n bytes. Longer messages are
// cut between blocks: blocks of more than half a segment travel alone and are received at their final offsets. Joined
// blocks are packed and unpacked in four segments of scratch memory, independent of p; Bruck's rows need memory for all
// blocks.

#include <algorithm>
#include <vector>

#include "algorithm/allgather/own_block.hpp"
#include "algorithm/applicability.hpp"
#include "algorithm/pat_messages.hpp"

namespace tutti::algorithm {
namespace {

class PatAllgather {
 public:
  PatAllgather(ScheduleBuilder& builder, const PatMessages& messages, const Request& request, Rank me)
      : builder_(builder),
        messages_(messages),
        me_(me),
        start_(start_allgather(builder, request, me)),
        ready_(static_cast<size_t>(request.rank_count), k_no_task),
        packing_(builder, messages.longest_bytes()),
        landing_(builder, messages.longest_bytes()) {}

  void send(Rank to, Rank distance, const PatMessages::Message& message) {
    if (message.blocks == 1) {
      const Rank block = messages_.owner(me_, message.first_offset);
      builder_.send(Peer::rank(to), place(block), ready(block));
      return;
    }
    const Turns::Place packed = packing_.next(messages_.bytes(me_, distance, message));
    TaskIds copies;
    messages_.for_each_block(me_, distance, message, [&](Rank offset, uint64_t at, uint64_t bytes) {
      const Rank block = messages_.owner(me_, offset);
      copies.push_back(
          builder_.copy(place(block), packed.memory.part(at, bytes), {ready(block), packed.free}));
    });
    packing_.hold_until(builder_.send(Peer::rank(to), packed.memory, copies));
  }

  void recv(Rank from, Rank distance, const PatMessages::Message& message) {
    if (message.blocks == 1) {
      const Rank block = messages_.owner(from, message.first_offset);
      ready(block) = builder_.recv(Peer::rank(from), place(block));
      return;
    }
    const Turns::Place packed = landing_.next(messages_.bytes(from, distance, message));
    const TaskId arrived = builder_.recv(Peer::rank(from), packed.memory, packed.free);
    TaskIds copies;
    messages_.for_each_block(from, distance, message, [&](Rank offset, uint64_t at, uint64_t bytes) {
      const Rank block = messages_.owner(from, offset);
      ready(block) = builder_.copy(packed.memory.part(at, bytes), place(block), arrived);
      copies.push_back(ready(block));
    });
    landing_.hold_until(builder_.join(copies));
  }

 private:
  /// This rank's block is read from where it is, without a copy.
  BufRef place(Rank block) const {
    return block == me_ ? start_.own : start_.places[static_cast<size_t>(block)];
  }
  TaskId& ready(Rank block) { return ready_[static_cast<size_t>(block)]; }

  ScheduleBuilder& builder_;
  const PatMessages& messages_;
  const Rank me_;
  const AllgatherStart start_;
  TaskIds ready_;
  Turns packing_, landing_;
};

base::Result<Schedule> build(const Request& request, Rank me, const Topology&,
                             const ParameterSet& parameters) {
  const Rank p = request.rank_count;
  const PatMessages messages(request, parameters[0]);
  ScheduleBuilder builder;
  PatAllgather gathers(builder, messages, request, me);
  for (Rank distance = messages.farthest(); distance > 0; distance /= 2) {
    const Rank from = messages.owner(me, distance), to = (me + distance) % p;
    for (const auto& message : messages.between(me, distance)) gathers.send(to, distance, message);
    for (const auto& message : messages.between(from, distance)) gathers.recv(from, distance, message);
  }
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
  return pat_cost(request, parameters[0], true);
}

constexpr Algorithm row(Collective collective) {
  return {.name = "pat",
          .summary = "a tree for each block, far ways first, short messages joined",
          .source = "Jeaugey, arXiv:2506.20252, 2025",
          .collective = collective,
          .parameters = k_pat_parameters,
          .applies = applies_always,
          .build = build,
          .cost = cost,
          .is_for_large_network = true,
          .is_the_same_for_all = true};
}

}  // namespace

extern const Algorithm allgather_pat = row(Collective::allgather);
extern const Algorithm allgatherv_pat = row(Collective::allgatherv);

}  // namespace tutti::algorithm
