#pragma once
// Protection keys as a guard: the pages stay where they are, and only the owner has the right to use them.

#include <memory>

#include "overlap/guard/cover.hpp"

namespace tutti::overlap::guard {

/// For the owner, before anything is closed.
void open_key_for_this_thread();

base::Result<std::unique_ptr<Cover>> make_key_cover(Pages pages);

}  // namespace tutti::overlap::guard
