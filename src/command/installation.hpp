#pragma once
// Where the parts of Tutti lie, relative to the command itself: the same in a build tree and when installed.

#include <filesystem>
#include <string>

#include "base/status.hpp"

namespace tutti::command {

/// The MPIs that Tutti has a library for.
enum class Mpi { mpich, openmpi };

std::string_view to_string(Mpi mpi);     // "mpich", "openmpi"
std::string_view display_name(Mpi mpi);  // "MPICH", "Open MPI"

/// The library to preload. Errors: not_found, with what to do; invalid_argument when the path holds a
/// character that LD_PRELOAD cannot carry.
base::Result<std::filesystem::path> preload_library(Mpi mpi);

/// The benchmark program; with `overlap` the one of nonblocking collectives. Error: not_found.
base::Result<std::filesystem::path> bench_program(Mpi mpi, bool overlap);

}  // namespace tutti::command
