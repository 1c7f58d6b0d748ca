#pragma once
// Guard by mprotect(PROT_NONE). The owner works on a copy, which the kernel writes to the pages (/proc/self/mem) while
// they are still closed.

#include <memory>

#include "overlap/guard/page_protection.hpp"

namespace tutti::overlap::guard {

base::Result<std::unique_ptr<PageProtection>> make_mprotect_protection(Pages pages);

}  // namespace tutti::overlap::guard
