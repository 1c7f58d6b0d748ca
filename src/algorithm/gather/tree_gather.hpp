#pragma once
// Gather along a tree: every rank collects the blocks of its subtree and sends them to its parent in one message. Inner
// ranks copy their own block among the others in scratch memory. The root receives at the final offset if the blocks of
// a subtree are contiguous there, otherwise through scratch memory.

#include <utility>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "algorithm/subtree_blocks.hpp"

namespace tutti::algorithm {

namespace tree_gather {

template <class Tree>
void receive_at_root(ScheduleBuilder& builder, const SubtreeBlocks<Tree>& blocks, Rank child) {
  blocks.for_each_message(child, [&](const auto& message) {
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

template <class Tree>
void pass_on(ScheduleBuilder& builder, const SubtreeBlocks<Tree>& blocks, Rank me, BufRef own) {
  BufRef subtree = own;
  std::vector<TaskId> collected;
  if (blocks.tree().span(me) > 1) {
    subtree = builder.scratch(blocks.subtree_bytes(me));
    collected.push_back(builder.copy(own, subtree.part(blocks.at(me, me), own.length)));
    for (const auto& child : blocks.tree().children(me)) {
      const uint64_t at = blocks.at(me, blocks.tree().first(child.position));
      collected.push_back(
          builder.recv(blocks.peer(child.position), subtree.part(at, blocks.subtree_bytes(child.position))));
    }
  }
  blocks.for_each_message(me, [&](const auto& message) {
    builder.send(blocks.parent(me), subtree.part(message.at, message.bytes), collected);
  });
}

}  // namespace tree_gather

template <class Tree>
base::Result<Schedule> build_tree_gather(const Request& request, Rank rank, const Tree& tree) {
  const SubtreeBlocks<Tree> blocks(request, tree, Slot::output);
  const BufRef own{Slot::input, 0, request.own_bytes};
  ScheduleBuilder builder;
  if (rank == request.root) {
    if (!request.in_place) builder.copy(own, blocks.layout().block(rank));
    for (const auto& child : tree.children(0)) tree_gather::receive_at_root(builder, blocks, child.position);
  } else {
    tree_gather::pass_on(builder, blocks, blocks.position(rank), own);
  }
  return std::move(builder).finish();
}

/// Rounds: the height of the tree, without subtrees of empty blocks; busiest rank: the root of the largest subtree.
template <class Tree>
Cost tree_gather_cost(const Request& request, const Tree& tree) {
  const SubtreeBlocks<Tree> blocks(request, tree, Slot::output);
  return {blocks.rounds(), blocks.largest_subtree_bytes()};
}

}  // namespace tutti::algorithm
