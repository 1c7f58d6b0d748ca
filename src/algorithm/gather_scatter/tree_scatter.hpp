#pragma once
// Scatter along a tree: every rank receives the blocks of its subtree in one message and forwards them, the largest
// subtree first. Inner ranks copy their own block out of scratch memory. The root sends directly if the blocks of a
// subtree are contiguous, and otherwise packs them in scratch memory. A gather is the same with time reversed.

#include <utility>
#include <vector>

#include "algorithm/gather_scatter/subtree_blocks.hpp"
#include "algorithm/phase_tree.hpp"
#include "schedule/transposed.hpp"

namespace tutti::algorithm {

namespace tree_scatter {

template <class Tree>
void send_from_root(ScheduleBuilder& builder, const SubtreeBlocks<Tree>& blocks, Rank child) {
  blocks.for_each_message(child, [&](const auto& message) {
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

/// A receive from the parent: one of at most two parts of the subtree.
struct Arrival {
  uint64_t begin, end;
  TaskId task;
};

/// The receives of the bytes [begin, begin + length).
inline std::vector<TaskId> arrivals_of(const std::vector<Arrival>& arrivals, uint64_t begin,
                                       uint64_t length) {
  std::vector<TaskId> tasks;
  for (const Arrival& arrival : arrivals)
    if (arrival.begin < begin + length && begin < arrival.end) tasks.push_back(arrival.task);
  return tasks;
}

template <class Tree>
void hand_down(ScheduleBuilder& builder, const SubtreeBlocks<Tree>& blocks, Rank me, BufRef own) {
  const bool is_leaf = blocks.tree().span(me) == 1;
  const BufRef subtree = is_leaf ? own : builder.scratch(blocks.subtree_bytes(me));
  std::vector<Arrival> arrivals;
  blocks.for_each_message(me, [&](const auto& message) {
    const TaskId task = builder.recv(blocks.parent(me), subtree.part(message.at, message.bytes));
    arrivals.push_back({message.at, message.at + message.bytes, task});
  });
  if (is_leaf) return;

  const auto children = blocks.tree().children(me);
  for (auto child = children.rbegin(); child != children.rend(); ++child) {
    const uint64_t at = blocks.at(me, blocks.tree().first(child->position));
    const BufRef part = subtree.part(at, blocks.subtree_bytes(child->position));
    if (!part.empty())
      builder.send(blocks.peer(child->position), part, arrivals_of(arrivals, at, part.length));
  }
  const uint64_t at = blocks.at(me, me);
  builder.copy(subtree.part(at, own.length), own, arrivals_of(arrivals, at, own.length));
}

}  // namespace tree_scatter

template <class Tree>
BuildResult build_tree_scatter(const Request& request, Rank rank, const Tree& tree) {
  const SubtreeBlocks<Tree> blocks(request, tree, Slot::input);
  const BufRef own{Slot::output, 0, request.own_bytes};
  ScheduleBuilder builder;
  if (rank == request.root) {
    const auto children = tree.children(0);
    for (auto child = children.rbegin(); child != children.rend(); ++child)
      tree_scatter::send_from_root(builder, blocks, child->position);
    if (!request.in_place) builder.copy(blocks.layout().block(rank), own);
  } else {
    tree_scatter::hand_down(builder, blocks, blocks.position(rank), own);
  }
  return std::move(builder).finish();
}

/// Functions of catalogue entries. Rounds: the height of the tree, without subtrees of empty blocks.
template <class Tree>
struct TreeScatter {
  static BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet& parameters) {
    return build_tree_scatter(request, me, tree_of<Tree>(request, parameters));
  }
  /// Busiest rank: the root.
  static Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
    const SubtreeBlocks<Tree> blocks(request, tree_of<Tree>(request, parameters), Slot::input);
    return {blocks.rounds(), blocks.layout().total_bytes() - blocks.layout().size(request.root)};
  }
};

template <class Tree>
struct TreeGather {
  static BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet& parameters) {
    const auto scatter = build_tree_scatter(request, me, tree_of<Tree>(request, parameters));
    return scatter ? schedule::transposed(*scatter) : scatter;
  }
  /// Busiest rank: the root of the largest subtree.
  static Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
    const SubtreeBlocks<Tree> blocks(request, tree_of<Tree>(request, parameters), Slot::output);
    return {blocks.rounds(), blocks.largest_subtree_bytes()};
  }
};

}  // namespace tutti::algorithm
