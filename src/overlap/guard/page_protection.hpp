#pragma once
// Interface of all mechanisms (mechanism.hpp) that protect pages from the program's threads.

#include <cstddef>

#include "base/status.hpp"
#include "overlap/guard/pages.hpp"

namespace tutti::overlap::guard {

/// Protection of one buffer. The owner, the thread that brings the data, may use the pages at any time.
class PageProtection {
 public:
  virtual ~PageProtection() = default;

  /// Address under which the owner accesses the buffer's memory at `address`, closed or not.
  virtual std::byte* owners_view(std::byte* address) const = 0;
  /// Closes open pages: a thread that accesses them waits. Their contents are kept. On an error they stay open.
  virtual base::Status protect(Pages pages) = 0;
  /// Opens closed pages with the contents that the owner has brought. A thread sees a page completely or waits. Pages
  /// that the program has unmapped meanwhile are ignored.
  virtual void unprotect(Pages pages) = 0;
};

}  // namespace tutti::overlap::guard
