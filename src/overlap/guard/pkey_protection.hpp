#pragma once
// Guard by memory protection keys: the pages stay mapped, and only the owner has access rights.

#include <memory>

#include "overlap/guard/page_protection.hpp"

namespace tutti::overlap::guard {

/// Gives this thread, an owner, access. Call before anything is closed.
void open_key_for_this_thread();

base::Result<std::unique_ptr<PageProtection>> make_pkey_protection(Pages pages);

}  // namespace tutti::overlap::guard
