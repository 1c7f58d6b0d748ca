#pragma once
// The chain and the star: the trees with the longest and with the shortest paths.
//
//   chain   0 ─ 1 ─ 2 ─ 3          star   0 ─ 1, 0 ─ 2, 0 ─ 3

#include <cstdint>
#include <vector>

#include "pattern/shape.hpp"

namespace tutti::pattern {

struct Chain {
  struct Child {
    Rank position;
  };

  Rank count = 1;

  constexpr Rank parent(Rank v) const { return v - 1; }
  std::vector<Child> children(Rank v) const {
    return v + 1 < count ? std::vector<Child>{{v + 1}} : std::vector<Child>{};
  }
  constexpr uint64_t child_count(Rank v) const { return v + 1 < count; }
  constexpr uint64_t height() const { return static_cast<uint64_t>(count - 1); }
};

struct Star {
  struct Child {
    Rank position;
  };

  Rank count = 1;

  constexpr Rank parent(Rank) const { return 0; }
  /// Descending: a broadcast, which sends to the last child first, begins with the next position.
  std::vector<Child> children(Rank v) const {
    std::vector<Child> found;
    for (Rank child = v == 0 ? count - 1 : 0; child > 0; --child) found.push_back({child});
    return found;
  }
  constexpr uint64_t child_count(Rank v) const { return v == 0 ? static_cast<uint64_t>(count - 1) : 0; }
  constexpr uint64_t height() const { return count > 1; }
};

}  // namespace tutti::pattern
