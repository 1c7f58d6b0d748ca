#pragma once
// Partition of a vector into one block per rank.

#include <algorithm>
#include <cstdint>

#include "pattern/shape.hpp"

namespace tutti::pattern {

/// Divides bytes [0, bytes) into `count` blocks that cut no element. Block lengths differ by at most one element, the
/// longer blocks first. With fewer elements than blocks the last blocks are empty. An incomplete element at the end
/// belongs to the last block.
struct EvenBlocks {
  uint64_t bytes = 0;
  uint64_t element_bytes = 1;
  Rank count = 1;

  /// Start of block i; i == count gives the end of the vector.
  constexpr uint64_t offset(Rank i) const {
    if (i == count) return bytes;
    const uint64_t elements = bytes / element_bytes;
    const uint64_t parts = static_cast<uint64_t>(count);
    const uint64_t index = static_cast<uint64_t>(i);
    return (elements / parts * index + std::min(index, elements % parts)) * element_bytes;
  }
  constexpr uint64_t length(Rank i) const { return offset(i + 1) - offset(i); }
};

}  // namespace tutti::pattern
