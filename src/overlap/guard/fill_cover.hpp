#pragma once
// mprotect() as a guard: nobody may use the pages. The owner keeps a copy, and the kernel brings it into them while
// they are still closed.

#include <memory>

#include "overlap/guard/cover.hpp"

namespace tutti::overlap::guard {

base::Result<std::unique_ptr<Cover>> make_fill_cover(Pages pages);

}  // namespace tutti::overlap::guard
