#pragma once
// Address ranges of the size of a buffer, where its owner keeps its pages while the program has none.

#include "base/status.hpp"
#include "overlap/guard/pages.hpp"

namespace tutti::overlap::guard {

/// A range that begins at the same place of a huge page as what it is for: so huge pages move as they are.
class OwnersMemory {
 public:
  /// Error: out_of_memory.
  static base::Result<OwnersMemory> acquire(Pages for_these);
  OwnersMemory(OwnersMemory&& other) noexcept;
  OwnersMemory& operator=(OwnersMemory&&) = delete;
  OwnersMemory(const OwnersMemory&) = delete;
  OwnersMemory& operator=(const OwnersMemory&) = delete;
  /// Gives the range back, with the pages that are in it.
  ~OwnersMemory();

  Pages pages() const { return pages_; }

 private:
  OwnersMemory(Pages mapping, Pages pages) : mapping_(mapping), pages_(pages) {}

  Pages mapping_, pages_;
};

}  // namespace tutti::overlap::guard
