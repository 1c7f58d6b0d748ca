#pragma once
// Collectives whose call returns before the data is there (paper 002, section 4.1.2): the first and the last bytes of a
// receive buffer lie on pages that hold other data, too, cannot be guarded, and have to arrive first of all.

#include <algorithm>
#include <cstdint>

#include "schedule/task.hpp"

namespace tutti::algorithm {

/// A message of which the edges travel first. Both sides cut alike.
struct EdgesFirst {
  /// As much of a buffer as its partly used pages can hold: a page less one byte at most, where pages are small. With
  /// larger pages calls return later.
  static constexpr uint64_t k_edge_bytes = 4096;

  schedule::BufRef head, body, tail;

  EdgesFirst(schedule::BufRef message, bool has_head, bool has_tail) {
    const uint64_t head_bytes = has_head ? std::min(message.length, k_edge_bytes) : 0;
    const uint64_t tail_bytes = has_tail ? std::min(message.length - head_bytes, k_edge_bytes) : 0;
    const uint64_t body_bytes = message.length - head_bytes - tail_bytes;
    head = message.part(0, head_bytes);
    body = message.part(head_bytes, body_bytes);
    tail = message.part(head_bytes + body_bytes, tail_bytes);
  }
};

}  // namespace tutti::algorithm
