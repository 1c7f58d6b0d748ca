#pragma once
// What glibc does not do for programs that are not its process's own.

#include <link.h>

namespace tutti::actors {

/// Before all constructors. Libraries may be opened with RTLD_GLOBAL (glibc bug 18684: the namespace has no list of
/// what is global, and the loader writes to it), and dlopen(nullptr) gives the program.
void prepare_opening(const dl_phdr_info& program);

}  // namespace tutti::actors
