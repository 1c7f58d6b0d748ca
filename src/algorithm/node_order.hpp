#pragma once
// Blocks of ranks grouped by node: two-level collectives move the blocks of a node together.

#include <vector>

#include "algorithm/request.hpp"
#include "topology/topology.hpp"

namespace tutti::algorithm {

/// The node block of node n is the concatenation of the blocks of its ranks, ascending. Ranks may be placed on nodes in
/// any order, so that a node block need not be contiguous in the vector that Blocks describes. Keeps references to the
/// constructor's arguments.
class NodeOrder {
 public:
  NodeOrder(const topology::Topology& topology, const Blocks& blocks);

  /// A run of bytes that is contiguous both in a node block and in the vector.
  struct Piece {
    Rank rank;           // owner of the block
    uint64_t in_block;   // offset in that block
    uint64_t in_range;   // offset from the start of the requested range
    uint64_t in_vector;  // offset in the vector
    uint64_t length;
  };

  uint64_t node_bytes(int32_t node) const { return node_bytes_[static_cast<size_t>(node)]; }
  uint64_t largest_node_bytes() const;
  /// Number of the bytes [from, from + segment) that node block `node` has.
  uint64_t range_bytes(int32_t node, uint64_t from, uint64_t segment) const;
  /// The pieces of that range, one per rank, in node order.
  std::vector<Piece> pieces(int32_t node, uint64_t from, uint64_t segment) const;
  /// True if the node blocks of all nodes are contiguous in this rank's vector. Offsets are local to a rank (MPI lets
  /// every rank choose its own), so that no message may depend on this.
  bool is_contiguous() const { return is_contiguous_; }
  /// The same for the vectors of all ranks; rank-invariant.
  bool is_contiguous_everywhere() const { return blocks_.is_uniform() && topology_.ranks_are_contiguous(); }
  /// Offset of node block `node` in the vector; requires is_contiguous().
  uint64_t node_offset(int32_t node) const;

 private:
  const topology::Topology& topology_;
  const Blocks& blocks_;
  std::vector<uint64_t> offsets_;  // of every block in the vector
  std::vector<uint64_t> node_bytes_;
  bool is_contiguous_ = true;
};

}  // namespace tutti::algorithm
