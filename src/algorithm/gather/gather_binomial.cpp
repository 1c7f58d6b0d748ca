// Binomial gather(v) (Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in
// MPICH, IJHPCA 2005, §4), here k-nomial. Every rank collects the blocks of its subtree and passes them on in
// one message.
//
//   round   1           2             3          root 0, p = 8, radix 2
//   1 ─► 0  1
//   3 ─► 2  3       2 ─► 0  2,3
//   5 ─► 4  5       6 ─► 4  6,7     4 ─► 0  4-7
//   7 ─► 6  7
//
// Rounds: the height of the tree (log2 p for a power of two and radix 2; empty leaves do not count); busiest
// rank: the largest subtree (n·p/2 for a power of two and radix 2). Copies: inner ranks put their own block
// in front of the others in scratch memory. The root receives at the final place wherever the blocks of a
// subtree follow each other there, and through scratch memory where they do not. In the v form all ranks must
// know all sizes.

#include <vector>

#include "algorithm/algorithm.hpp"
#include "algorithm/subtree_blocks.hpp"

namespace tutti::algorithm {
namespace {

using schedule::BufRef;
using schedule::ScheduleBuilder;
using schedule::Slot;
using schedule::TaskId;

constexpr Parameter k_parameters[] = {
    {.name = "radix",
     .summary = "digits of the tree: 2 is binomial",
     .default_value = 2,
     .min = 2,
     .max = 1 << 16},
};

SubtreeBlocks subtrees_of(const Request& request, const ParameterSet& parameters) {
  return SubtreeBlocks(request, static_cast<Rank>(parameters[0]), Slot::output);
}

bool applies(const Request& request, const Topology&, const ParameterSet&, std::string* why_not) {
  return sizes_are_known(request, why_not);
}

void receive_at_root(ScheduleBuilder& builder, const SubtreeBlocks& blocks, Rank child) {
  blocks.for_each_message(child, [&](const SubtreeBlocks::Message& message) {
    std::vector<BufRef> places;
    blocks.layout().for_each_run(message.first, message.count, [&](BufRef run) { places.push_back(run); });
    if (places.size() == 1) {
      builder.recv(blocks.peer(child), places.front());
      return;
    }
    const BufRef landing = builder.scratch(message.bytes);
    const TaskId arrived = builder.recv(blocks.peer(child), landing);
    uint64_t at = 0;
    for (const BufRef& place : places) {
      builder.copy(landing.part(at, place.length), place, arrived);
      at += place.length;
    }
  });
}

void pass_on(ScheduleBuilder& builder, const SubtreeBlocks& blocks, Rank me, BufRef own) {
  const Rank span = blocks.tree().span(me);
  BufRef subtree = own;
  std::vector<TaskId> collected;
  if (span > 1) {
    subtree = builder.scratch(blocks.bytes(me, span));
    collected.push_back(builder.copy(own, subtree.part(0, own.length)));
    for (const auto& child : blocks.tree().children(me))
      collected.push_back(builder.recv(
          blocks.peer(child.position),
          subtree.part(blocks.bytes(me, child.position - me), blocks.bytes(child.position, child.span))));
  }
  blocks.for_each_message(me, [&](const SubtreeBlocks::Message& message) {
    builder.send(blocks.parent(me), subtree.part(message.at, message.bytes), collected);
  });
}

base::Result<Schedule> build(const Request& request, Rank rank, const Topology&,
                             const ParameterSet& parameters) {
  const SubtreeBlocks blocks = subtrees_of(request, parameters);
  const BufRef own{Slot::input, 0, request.own_bytes};
  ScheduleBuilder builder;
  if (rank == request.root) {
    if (!request.in_place) builder.copy(own, blocks.layout().block(rank));
    for (const auto& child : blocks.tree().children(0)) receive_at_root(builder, blocks, child.position);
  } else {
    pass_on(builder, blocks, blocks.position(rank), own);
  }
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
  const SubtreeBlocks blocks = subtrees_of(request, parameters);
  return {blocks.rounds(), blocks.largest_subtree_bytes()};
}

constexpr Algorithm row(Collective collective) {
  return {.name = "binomial",
          .summary = "blocks travel up a k-nomial tree, each rank passing on those of its subtree",
          .source = "Thakur, Rabenseifner, Gropp, IJHPCA 2005, §4",
          .collective = collective,
          .parameters = k_parameters,
          .applies = applies,
          .build = build,
          .cost = cost};
}

}  // namespace

extern const Algorithm gather_binomial, gatherv_binomial;
const Algorithm gather_binomial = row(Collective::gather);
const Algorithm gatherv_binomial = row(Collective::gatherv);

}  // namespace tutti::algorithm
