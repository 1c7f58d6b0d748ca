#pragma once
// The order in which a program accesses the parts of a buffer (paper 002, section 5.1): sequential or strided, from
// either end.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tutti::pattern {

struct AccessOrder {
  bool is_backward = false;
  uint64_t stride = 1;  // parts, >= 1

  /// Parts 0, stride, 2·stride, … below `count`, then 1, stride + 1, …, and so on. Backward: the same order counted
  /// from the last part.
  std::vector<uint32_t> sequence(uint32_t count) const {
    std::vector<uint32_t> parts;
    parts.reserve(count);
    for (uint64_t first = 0; first < std::min<uint64_t>(stride, count); ++first)
      for (uint64_t part = first; part < count; part += stride)
        parts.push_back(is_backward ? count - 1 - static_cast<uint32_t>(part) : static_cast<uint32_t>(part));
    return parts;
  }
  bool operator==(const AccessOrder&) const = default;
};

}  // namespace tutti::pattern
