#pragma once
// How pages are kept from the program's threads: the interface of all mechanisms (mechanism.hpp).

#include <cstddef>

#include "base/status.hpp"
#include "overlap/guard/pages.hpp"

namespace tutti::overlap::guard {

/// Over one buffer. The owner is whoever brings the data: it may use the pages all the time.
class Cover {
 public:
  virtual ~Cover() = default;

  /// Where the owner finds what lies at `address` of the buffer's pages, closed or not.
  virtual std::byte* owners_view(std::byte* address) const = 0;
  /// Closes pages that are open: from now on a thread that touches them waits. Their contents stay. Error: they are
  /// as open as they were.
  virtual base::Status close(Pages pages) = 0;
  /// Opens pages that have been closed, with what the owner has brought: a thread sees all of a page or waits. Pages
  /// that the program has unmapped meanwhile are left alone.
  virtual void open(Pages pages) = 0;
};

}  // namespace tutti::overlap::guard
