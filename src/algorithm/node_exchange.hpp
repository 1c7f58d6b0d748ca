#pragma once
// The part of a two-level collective that moves one range of every node's blocks between the leaders.

#include "algorithm/hierarchy.hpp"
#include "algorithm/node_order.hpp"

namespace tutti::algorithm {

/// The request for one segment. Refers to its own arrays: neither copied nor moved.
struct NodeExchange {
  std::vector<uint64_t> sizes, offsets;  // by node; a root's own node takes no part
  Request request;

  /// The range [from, from + segment) of every node block. `in_vector`: the ranges lie where they belong in
  /// the vector that `order` describes; otherwise they are packed in node order.
  NodeExchange(const Request& whole, Collective collective, const NodeOrder& order, const TwoLevel& two,
               uint64_t from, uint64_t segment, bool in_vector);
  NodeExchange(const NodeExchange&) = delete;
  NodeExchange& operator=(const NodeExchange&) = delete;
};

}  // namespace tutti::algorithm
