// Binomial scatter(v) (Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in
// MPICH, IJHPCA 2005, §4), here k-nomial. Every rank gets the blocks of its subtree in one message and hands
// them down.
//
//   round   1             2           3          root 0, p = 8, radix 2
//   0 ─► 4  4-7   0 ─► 2  2,3   0 ─► 1  1
//                 4 ─► 6  6,7   2 ─► 3  3        the sends of one rank do not wait for each other;
//                               4 ─► 5  5        the largest subtree goes first
//                               6 ─► 7  7
//
// Rounds: the height of the tree (log2 p for a power of two and radix 2; empty leaves do not count); busiest
// rank: the root, Σn without its own block. Copies: inner ranks take their own block out of scratch memory.
// The root sends from where the blocks of a subtree follow each other, and packs them in scratch memory where
// they do not. In the v form all ranks must know all sizes.

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
  return SubtreeBlocks(request, static_cast<Rank>(parameters[0]), Slot::input);
}

bool applies(const Request& request, const Topology&, const ParameterSet&, std::string* why_not) {
  return sizes_are_known(request, why_not);
}

void send_from_root(ScheduleBuilder& builder, const SubtreeBlocks& blocks, Rank child) {
  blocks.for_each_message(child, [&](const SubtreeBlocks::Message& message) {
    std::vector<BufRef> places;
    blocks.layout().for_each_run(message.first, message.count, [&](BufRef run) { places.push_back(run); });
    if (places.size() == 1) {
      builder.send(blocks.peer(child), places.front());
      return;
    }
    const BufRef packed = builder.scratch(message.bytes);
    std::vector<TaskId> copies;
    uint64_t at = 0;
    for (const BufRef& place : places) {
      copies.push_back(builder.copy(place, packed.part(at, place.length)));
      at += place.length;
    }
    builder.send(blocks.peer(child), packed, copies);
  });
}

/// What has arrived from the parent: one or two parts of the subtree.
struct Arrival {
  uint64_t begin, end;
  TaskId task;
};

/// Tasks that bring the bytes [begin, begin + length).
std::vector<TaskId> arrivals_of(const std::vector<Arrival>& arrivals, uint64_t begin, uint64_t length) {
  std::vector<TaskId> tasks;
  for (const Arrival& arrival : arrivals)
    if (arrival.begin < begin + length && begin < arrival.end) tasks.push_back(arrival.task);
  return tasks;
}

void hand_down(ScheduleBuilder& builder, const SubtreeBlocks& blocks, Rank me, BufRef own) {
  const Rank span = blocks.tree().span(me);
  const BufRef subtree = span == 1 ? own : builder.scratch(blocks.bytes(me, span));
  std::vector<Arrival> arrivals;
  blocks.for_each_message(me, [&](const SubtreeBlocks::Message& message) {
    const TaskId task = builder.recv(blocks.parent(me), subtree.part(message.at, message.bytes));
    arrivals.push_back({message.at, message.at + message.bytes, task});
  });
  if (span == 1) return;

  const auto children = blocks.tree().children(me);
  for (auto child = children.rbegin(); child != children.rend(); ++child) {
    const BufRef part =
        subtree.part(blocks.bytes(me, child->position - me), blocks.bytes(child->position, child->span));
    if (!part.empty())
      builder.send(blocks.peer(child->position), part,
                   arrivals_of(arrivals, part.offset - subtree.offset, part.length));
  }
  builder.copy(subtree.part(0, own.length), own, arrivals_of(arrivals, 0, own.length));
}

base::Result<Schedule> build(const Request& request, Rank rank, const Topology&,
                             const ParameterSet& parameters) {
  const SubtreeBlocks blocks = subtrees_of(request, parameters);
  const BufRef own{Slot::output, 0, request.own_bytes};
  ScheduleBuilder builder;
  if (rank == request.root) {
    const auto children = blocks.tree().children(0);
    for (auto child = children.rbegin(); child != children.rend(); ++child)
      send_from_root(builder, blocks, child->position);
    if (!request.in_place) builder.copy(blocks.layout().block(rank), own);
  } else {
    hand_down(builder, blocks, blocks.position(rank), own);
  }
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
  const SubtreeBlocks blocks = subtrees_of(request, parameters);
  return {blocks.rounds(), blocks.layout().total_bytes() - blocks.layout().size(request.root)};
}

constexpr Algorithm row(Collective collective) {
  return {.name = "binomial",
          .summary = "blocks travel down a k-nomial tree, each rank handing on those of its subtree",
          .source = "Thakur, Rabenseifner, Gropp, IJHPCA 2005, §4",
          .collective = collective,
          .parameters = k_parameters,
          .applies = applies,
          .build = build,
          .cost = cost};
}

}  // namespace

extern const Algorithm scatter_binomial, scatterv_binomial;
const Algorithm scatter_binomial = row(Collective::scatter);
const Algorithm scatterv_binomial = row(Collective::scatterv);

}  // namespace tutti::algorithm
