#pragma once
// Variables of libraries that a program has copied into itself.

#include <link.h>

namespace tutti::actors {

/// A program that is linked as programs are has its own copy of variables of libraries that it uses (`stdout`,
/// `std::cout`, vtables), and the libraries use that (ELF: R_X86_64_COPY). The loader fills it only for the program of
/// the process; for what it takes for a library it finds the empty copy itself. Has to come before all constructors.
void fill_copied_variables(const dl_phdr_info& program);

}  // namespace tutti::actors
