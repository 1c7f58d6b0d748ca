#pragma once
// The exchange of a two-level collective between leaders: one range of the block of every node.

#include "algorithm/hierarchy.hpp"
#include "algorithm/node_order.hpp"

namespace tutti::algorithm {

/// The request for one segment. Refers to its own arrays, and is therefore neither copied nor moved.
struct NodeExchange {
  std::vector<uint64_t> sizes, offsets;  // by node; the size is 0 for the node of a root
  Request request;

  /// The range [from, from + segment) of every node block. `in_vector`: the ranges lie at their final offsets in the
  /// vector that `order` describes; otherwise they are packed in node order.
  NodeExchange(const Request& whole, Collective collective, const NodeOrder& order, const TwoLevel& two,
               uint64_t from, uint64_t segment, bool in_vector);
  NodeExchange(const NodeExchange&) = delete;
  NodeExchange& operator=(const NodeExchange&) = delete;
};

}  // namespace tutti::algorithm
