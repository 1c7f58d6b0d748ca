#pragma once
// Parallel aggregated trees (Jeaugey: PAT, arXiv:2506.20252, 2025). The block of every rank is broadcast along its own
// tree: in the step of distance d, which is half of the previous distance, every rank that holds the block sends it to
// the rank d further on. All trees run at the same time, and messages of different trees between two ranks are joined
// while they are short. Long distances come first, when there is little to send. A reduce-scatter uses the same edges
// in reverse.

#include <cstdint>
#include <vector>

#include "pattern/shape.hpp"

namespace tutti::pattern {

/// Blocks are numbered by offset: offset s at rank r is the block of rank r - s.
struct Pat {
  Rank count;

  /// The largest distance: the largest power of two below `count`; 0 for one rank.
  constexpr Rank farthest() const {
    Rank distance = 0;
    for (Rank next = 1; next < count; next *= 2) distance = next;
    return distance;
  }

  struct Message {
    Rank first_offset, blocks;  // first_offset, first_offset + 2·distance, …
  };

  /// The messages from rank r to rank r + distance, by offsets at r. Blocks share a message while their total size is
  /// at most `most_bytes`; bytes_of(offset) returns the size of a block.
  template <class BytesOf>
  std::vector<Message> messages(Rank distance, uint64_t most_bytes, BytesOf bytes_of) const {
    std::vector<Message> found;
    uint64_t joined = 0;
    for (Rank offset = 0; offset < count - distance; offset += 2 * distance) {
      const uint64_t bytes = bytes_of(offset);
      if (found.empty() || joined + bytes > most_bytes) {
        found.push_back({offset, 0});
        joined = 0;
      }
      ++found.back().blocks;
      joined += bytes;
    }
    return found;
  }
};

}  // namespace tutti::pattern
