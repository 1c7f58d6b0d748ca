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

class PatAllgather final : public PatValues {
 public:
  PatAllgather(ScheduleBuilder& builder, const PatMessages& messages, const Request& request, Rank me)
      : PatValues(builder, messages, me) {
    // This rank's block is read from where it is, without a copy.
    const AllgatherStart start = start_allgather(builder, request, me);
    values_.push_back({start.own});
    for (Rank offset = 1; offset < request.rank_count; ++offset)
      values_.push_back({start.places[static_cast<size_t>(messages.owner(me, offset))]});
  }

  void recv(Rank from, Rank distance, const PatMessages::Message& message) {
    if (message.blocks == 1) {
      Value& only = value(from, distance, message.first_offset);
      only.ready = builder_.recv(Peer::rank(from), only.place);
      return;
    }
    const Turns::Place packed = landing_.next(messages_.bytes(from, distance, message));
    const TaskId arrived = builder_.recv(Peer::rank(from), packed.memory, packed.free);
    TaskIds copies;
    messages_.for_each_block(from, distance, message, [&](Rank offset, uint64_t at, uint64_t bytes) {
      Value& one = value(from, distance, offset);
      one.ready = builder_.copy(packed.memory.part(at, bytes), one.place, arrived);
      copies.push_back(one.ready);
    });
    landing_.hold_until(builder_.join(copies));
  }
};

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet& parameters) {
  const Rank p = request.rank_count;
  const PatMessages messages(request, parameters[0]);
  ScheduleBuilder builder;
  PatAllgather gathers(builder, messages, request, me);
  for (Rank distance = messages.farthest(); distance > 0; distance /= 2) {
    const Rank from = messages.owner(me, distance), to = (me + distance) % p;
    for (const auto& message : messages.between(me, distance)) gathers.send(to, me, distance, message);
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
