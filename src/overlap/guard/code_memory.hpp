#pragma once
// Detects memory that is both writable and executable: used by JIT compilers, and stacks of programs that execute code
// there. Guards restore pages as readable and writable only, so they must not close such memory.

#include "overlap/guard/pages.hpp"

namespace tutti::overlap::guard {

/// The program may have made memory executable. Any thread.
void expect_code_memory();

/// Whether some of these pages may be executable. Reads /proc/self/maps if the program has such memory or may have by
/// now. Any thread, but not while pages that this thread uses are closed.
bool may_hold_code(Pages pages);

}  // namespace tutti::overlap::guard
