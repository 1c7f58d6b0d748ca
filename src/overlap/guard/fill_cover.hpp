#pragma once
// Guard by mprotect(PROT_NONE). The owner works on a copy, which the kernel writes to the pages (/proc/self/mem) while
// they are still closed.

#include <memory>

#include "overlap/guard/cover.hpp"

namespace tutti::overlap::guard {

base::Result<std::unique_ptr<Cover>> make_fill_cover(Pages pages);

}  // namespace tutti::overlap::guard
