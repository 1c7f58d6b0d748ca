#pragma once
// Loads the program and libraries of one rank into a separate link namespace with its own C library
// (dlmopen(3)).

#include <cstdint>
#include <string>

#include "base/status.hpp"

namespace tutti::actors {

/// GLIBC_TUNABLES of a process with namespaces, read at process start. Namespaces would share the stack cache
/// of ended threads, and one C library would free memory that another one allocated: therefore no stack is
/// cached.
inline constexpr const char* k_loader_tunables = "glibc.rtld.nns=16:glibc.pthread.stack_cache_size=0";
/// Number of namespaces that such a process can have besides its own.
inline constexpr int k_most_namespaces = 15;

/// Loads a program, marked as a library, and its dependencies into a new namespace; one call at a time. Its
/// constructors run and see `environment`, which is terminated by a null pointer and must remain valid. The
/// namespace exists until the process ends, because threads of the rank may stay in its code. The program is
/// the first object of the namespace, because libraries use its copies of their variables (ELF:
/// R_X86_64_COPY). The C library of the namespace is initialised only for the calling thread and for threads
/// that the rank itself creates. Returns the load address of the program. Error: not_supported, with the
/// loader's reason.
base::Result<uint64_t> load_in_namespace(const std::string& file_name, char** environment);

}  // namespace tutti::actors
