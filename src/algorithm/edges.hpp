#pragma once
// Helpers for calls that return before the data is there (paper 002, section 4.1.2): the first and the last bytes of a
// receive buffer share their pages with other data. These pages cannot be protected, so that their bytes have to arrive
// before the call returns.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "algorithm/parts_in_access_order.hpp"
#include "schedule/task.hpp"
#include "topology/topology.hpp"

namespace tutti::algorithm {

/// A message whose edges travel first. Both sides must cut it alike.
struct EdgesFirst {
  /// Upper limit of an edge: covers the part of a buffer on a partially used 4 KiB page (4095 bytes at most). With
  /// larger pages calls return later.
  static constexpr uint64_t k_edge_bytes = 4096;

  BufRef head, body, tail;

  EdgesFirst(BufRef message, bool has_head, bool has_tail) {
    const uint64_t head_bytes = has_head ? std::min(message.length, k_edge_bytes) : 0;
    const uint64_t tail_bytes = has_tail ? std::min(message.length - head_bytes, k_edge_bytes) : 0;
    const uint64_t body_bytes = message.length - head_bytes - tail_bytes;
    head = message.part(0, head_bytes);
    body = message.part(head_bytes, body_bytes);
    tail = message.part(head_bytes + body_bytes, tail_bytes);
  }
};

/// Calls `visit` for the parts of a message in the order in which they travel: head, tail, then the body in segments in
/// the order of `order`, which must describe one block.
template <class Visit>
void for_each_part_edges_first(BufRef message, const PartsInAccessOrder& order, uint64_t segment_bytes,
                               Visit visit) {
  const EdgesFirst parts(message, true, true);
  if (!parts.head.empty()) visit(parts.head);
  if (!parts.tail.empty()) visit(parts.tail);
  for (const PartsInAccessOrder::Run& run : order.runs())
    order.for_each_segment(run, parts.body, segment_bytes, visit);
}

/// All ranks grouped by node, ascending inside each node, starting with `first` and its node. Neighbours in this order
/// cross the network as rarely as possible.
inline std::vector<Rank> node_by_node(const topology::Topology& topology, Rank first) {
  std::vector<Rank> order{first};
  const int32_t nodes = topology.node_count(), first_node = topology.node_of(first);
  for (int32_t n = 0; n < nodes; ++n)
    for (const Rank rank : topology.ranks_of((first_node + n) % nodes))
      if (rank != first) order.push_back(rank);
  return order;
}

}  // namespace tutti::algorithm
