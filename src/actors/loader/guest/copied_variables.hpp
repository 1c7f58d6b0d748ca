#pragma once
// Initialises a program's copies of library variables.

#include <link.h>

namespace tutti::actors {

/// A normally linked program has its own copy of library variables that it uses (`stdout`, `std::cout`,
/// vtables), and the libraries use that copy (ELF: R_X86_64_COPY). The loader initialises it only for the
/// program of the process; for an object loaded as a library its lookup finds the empty copy itself. Must be
/// called before all constructors.
void fill_copied_variables(const dl_phdr_info& program);

}  // namespace tutti::actors
