#pragma once
// The layout of one operation's data in node memory: deposits of members, data that the agents exchange,
// results that members take.
//
// Every collective has the same three steps. The members of a node deposit their input, the agents run the
// same collective among nodes, and the members take their output. Ranks are numbered node by node here
// ("places"), so that the data of one node are contiguous:
//
//   collective             member i deposits              agents: input -> output           member i takes
//   bcast                  root: all                      output (bcast)                    all
//   reduce, allreduce      vector i, then combined        vector 0 -> output                output
//   reduce_scatter_block   vector i by place, combined    vector 0 -> blocks of the node    block i
//   allgather, gather      block i                        blocks of the node -> all         all blocks
//   scatter                root: all blocks               all -> blocks of the node         block i
//   alltoall               for each node: [i][member]     by node -> by node                from each node: [member][i]
//
// Blocks of different sizes (allgatherv, reduce_scatter) are padded to the largest size: for the agents they
// are allgather and reduce_scatter_block.

#include <algorithm>
#include <cstdint>

#include "agent/description.hpp"
#include "algorithm/owned_request.hpp"
#include "topology/topology.hpp"

namespace tutti::agent {

using algorithm::Collective;
using topology::Topology;

/// The collectives that agents serve.
bool is_served(Collective collective);
/// The collective as the agents run it.
Collective form_of(Collective collective);
/// True if members deposit vectors that the agent combines.
bool combines(Collective collective);

/// One rank's view of one operation. Stateless; any thread. The topology must outlive it.
class Layout {
 public:
  Layout(const Topology& topology, const Description& description, Rank me);

  /// Offsets in the operation's area of node memory: input of the agents, then their output.
  uint64_t input_bytes() const { return input_bytes_; }
  uint64_t output_begin() const { return output_begin_; }
  uint64_t bytes() const { return output_begin_ + output_bytes_; }

  /// True if this rank deposits data, or must arrive without data (barrier); number of such ranks of the
  /// node.
  bool deposits() const;
  uint32_t deposit_count() const;
  /// True if this rank waits for the result.
  bool takes() const;

  /// Calls visit(offset in the rank's input, offset in the area, bytes). In place, the input is the output
  /// buffer, in which the own block of gather and allgather has its final offset. `blocks`: the layout of the
  /// blocks in the rank's buffers.
  template <class Visit>
  void for_each_deposit(bool in_place, const algorithm::Blocks& blocks, Visit visit) const;
  /// Calls visit(offset in the area, offset in the rank's output, bytes).
  template <class Visit>
  void for_each_take(const algorithm::Blocks& blocks, Visit visit) const;
  /// Offset of this rank's deposited vector, if combines().
  uint64_t own_vector() const { return index_ * vector_bytes_; }

  /// Bytes of the vector that each member deposits, if combines().
  uint64_t vector_bytes() const { return vector_bytes_; }

  /// The request of the agents among themselves: rank n is node n.
  algorithm::OwnedRequest between_nodes() const;

  /// The longest part of a call whose area is at most `area_bytes` on every node, a multiple of
  /// `element_bytes`; 0: none fits.
  static uint64_t longest_part(const Topology& topology, Collective collective, uint64_t element_bytes,
                               uint64_t area_bytes);

 private:
  uint64_t part() const { return description_.bytes; }
  /// Bytes of this part in a block of that length.
  uint64_t part_of(uint64_t block_bytes) const {
    return block_bytes <= description_.begin ? 0 : std::min(part(), block_bytes - description_.begin);
  }
  Rank members(int32_t node) const { return static_cast<Rank>(topology_.ranks_of(node).size()); }
  bool is_root() const { return me_ == description_.root; }
  bool is_on_roots_node() const { return topology_.node_of(description_.root) == node_; }

  const Topology& topology_;
  const Description description_;
  const Rank me_;
  const int32_t node_;
  const uint64_t index_;    // of this rank on its node
  const uint64_t members_;  // of this node
  uint64_t vector_bytes_ = 0;
  uint64_t input_bytes_ = 0, output_begin_ = 0, output_bytes_ = 0;
};

template <class Visit>
void Layout::for_each_deposit(bool in_place, const algorithm::Blocks& blocks, Visit visit) const {
  const uint64_t begin = description_.begin, c = part();
  if (!deposits() || c == 0) return;
  switch (description_.collective) {
    case Collective::bcast:
      return visit(begin, 0, c);
    case Collective::reduce:
    case Collective::allreduce:
      return visit(begin, index_ * c, c);
    case Collective::gather:
    case Collective::allgather:
      return visit(begin + (in_place ? blocks.offset(me_) : 0), index_ * c, part_of(blocks.size(me_)));
    default:
      break;
  }
  uint64_t place = 0;
  for (int32_t node = 0; node < topology_.node_count(); ++node) {
    const uint64_t first = place, there = static_cast<uint64_t>(members(node));
    for (const Rank rank : topology_.ranks_of(node)) {
      const uint64_t from = blocks.offset(rank) + begin;
      switch (description_.collective) {
        case Collective::reduce_scatter_block:
          visit(from, own_vector() + place * c, part_of(blocks.size(rank)));
          break;
        case Collective::scatter:
          visit(from, place * c, c);
          break;
        default:
          visit(from, (first * members_ + index_ * there + (place - first)) * c, c);
          break;  // alltoall
      }
      ++place;
    }
  }
}

template <class Visit>
void Layout::for_each_take(const algorithm::Blocks& blocks, Visit visit) const {
  const uint64_t begin = description_.begin, c = part();
  if (!takes() || c == 0) return;
  switch (description_.collective) {
    case Collective::bcast:
    case Collective::reduce:
    case Collective::allreduce:
      return visit(output_begin_, begin, c);
    case Collective::scatter:
    case Collective::reduce_scatter_block:
      return visit(output_begin_ + index_ * c, begin, part_of(blocks.size(me_)));
    default:
      break;
  }
  const bool is_alltoall = description_.collective == Collective::alltoall;
  uint64_t place = 0;
  for (int32_t node = 0; node < topology_.node_count(); ++node)
    for (const Rank rank : topology_.ranks_of(node)) {
      const uint64_t from = is_alltoall ? place * members_ + index_ : place;
      visit(output_begin_ + from * c, blocks.offset(rank) + begin, part_of(blocks.size(rank)));
      ++place;
    }
}

}  // namespace tutti::agent
