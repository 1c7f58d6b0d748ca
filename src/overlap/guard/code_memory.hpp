#pragma once
// Memory that is written and executed: of compilers at run time, and stacks of programs that run code there. Guards
// give pages back as readable and writable, and so leave these alone.

#include "overlap/guard/pages.hpp"

namespace tutti::overlap::guard {

/// The program may have made memory writable and executable. Any thread.
void expect_code_memory();

/// Some of these pages can be executed. Reads the list of mappings where the program has any such memory, or may have
/// by now. Any thread; not while this thread's own pages are closed.
bool may_hold_code(Pages pages);

}  // namespace tutti::overlap::guard
