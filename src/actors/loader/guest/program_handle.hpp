#pragma once
// Prepares what glibc does not prepare for programs other than the process's main program.

#include <link.h>

namespace tutti::actors {

/// Call before all constructors. Enables dlopen() with RTLD_GLOBAL (glibc bug 18684: the namespace has no
/// global search list, but the loader writes to it), and makes dlopen(nullptr) return the program.
void prepare_opening(const dl_phdr_info& program);

}  // namespace tutti::actors
