#pragma once
// Address range of the size of a buffer, where its owner keeps the pages that were moved away from the program.

#include "base/status.hpp"
#include "overlap/guard/pages.hpp"

namespace tutti::overlap::guard {

/// The range has the same offset in a huge page as the buffer, so that huge pages can be moved unsplit.
class OwnersMemory {
 public:
  /// Error: out_of_memory.
  static base::Result<OwnersMemory> acquire(Pages for_these);
  OwnersMemory(OwnersMemory&& other) noexcept;
  OwnersMemory& operator=(OwnersMemory&&) = delete;
  OwnersMemory(const OwnersMemory&) = delete;
  OwnersMemory& operator=(const OwnersMemory&) = delete;
  /// Unmaps the range with its pages.
  ~OwnersMemory();

  Pages pages() const { return pages_; }

 private:
  OwnersMemory(Pages mapping, Pages pages) : mapping_(mapping), pages_(pages) {}

  Pages mapping_, pages_;
};

}  // namespace tutti::overlap::guard
