#pragma once
// Prepares what glibc does not prepare for programs other than the process's main program.

#include <link.h>

namespace tutti::actors {

/// Called before all constructors; dlsym() works from then on. Returns false if the C library has no dlsym().
bool prepare_symbols();

/// Called before all constructors. Then libraries can be opened with RTLD_GLOBAL (glibc bug 18684: the namespace has no
/// list of global libraries, and the loader writes to it), and dlopen(nullptr) returns the program.
void prepare_opening(const dl_phdr_info& program);

}  // namespace tutti::actors
