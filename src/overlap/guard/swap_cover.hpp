#pragma once
// Userfaultfd as a guard: the buffer's pages move to a place of the owner's, are filled there, and move back.

#include <memory>

#include "overlap/guard/cover.hpp"
#include "overlap/guard/userfault.hpp"

namespace tutti::overlap::guard {

/// This process's way to the kernel, opened once. Error: not_supported.
const base::Result<Userfault>& userfault(Reach reach);

base::Result<std::unique_ptr<Cover>> make_swap_cover(Reach reach, Pages pages);

}  // namespace tutti::overlap::guard
