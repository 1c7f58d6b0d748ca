#pragma once
// Programs and libraries of one rank: a link namespace of its own, with its own C library (dlmopen(3)).

#include <cstdint>
#include <string>

#include "base/status.hpp"

namespace tutti::actors {

/// GLIBC_TUNABLES of a process that has namespaces, read when it begins. They would share the stacks of threads that
/// have ended, and what one C library frees there another one may have allocated: so no stack is kept.
inline constexpr const char* k_loader_tunables = "glibc.rtld.nns=16:glibc.pthread.stack_cache_size=0";
/// How many namespaces a process can have then, beside its own.
inline constexpr int k_most_namespaces = 15;

/// Loads a program, or what looks like a library, with all that it needs, in a new namespace, one at a time. Its
/// constructors run, and see `environment`, which is ended by a null pointer and stays. The namespace stays for the
/// life of the process: threads of the rank may be in its code for ever. The program comes first in the namespace,
/// because libraries share those of their variables with it that it has copied (ELF: R_X86_64_COPY). The C library of
/// the namespace is ready for the thread that calls this and for the threads that the rank itself begins, for no
/// other. Returns where the program begins. Error: not_supported, with the loader's reason.
base::Result<uint64_t> load_in_namespace(const std::string& file_name, char** environment);

}  // namespace tutti::actors
