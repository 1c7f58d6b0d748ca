#pragma once
// Parallel aggregated trees (Jeaugey: PAT, arXiv:2506.20252, 2025). The block of every rank goes down a tree of its
// own: at distance d, half of the one before, whoever has it passes it on to the rank d further on. All trees are used
// at the same time, and their messages between two ranks are joined as long as they are short. Far ways come first,
// when there is little to send. A reduce-scatter goes the same ways back.

#include <cstdint>
#include <vector>

#include "pattern/shape.hpp"

namespace tutti::pattern {

/// Blocks have offsets: offset s of rank r is the block of rank r - s.
struct Pat {
  Rank count;

  /// The largest distance: the last power of two below `count`; 0 for one rank.
  constexpr Rank farthest() const {
    Rank distance = 0;
    for (Rank next = 1; next < count; next *= 2) distance = next;
    return distance;
  }

  struct Message {
    Rank first_offset, blocks;  // first_offset, first_offset + 2·distance, …
  };

  /// What goes from rank r to rank r + distance, by offsets of r. Blocks travel together while they have at most
  /// `most_bytes` together; bytes_of(offset) says how many one has.
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
