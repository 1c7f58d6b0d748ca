#pragma once
// Guard by userfaultfd: the buffer's pages move to memory of the owner, are filled there, and move back.

#include <memory>

#include "overlap/guard/page_protection.hpp"
#include "overlap/guard/userfault.hpp"

namespace tutti::overlap::guard {

/// The process's userfaultfd descriptor, opened once. Error: not_supported.
const base::Result<Userfault>& userfault(Reach reach);

base::Result<std::unique_ptr<PageProtection>> make_userfault_protection(Reach reach, Pages pages);

}  // namespace tutti::overlap::guard
