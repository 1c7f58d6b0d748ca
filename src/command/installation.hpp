#pragma once
// Paths of Tutti's parts, relative to the command itself: the same in a build tree and in an installation.

#include <filesystem>
#include <optional>
#include <string>

#include "base/status.hpp"

namespace tutti::command {

/// The MPIs that Tutti has a library for.
enum class Mpi { mpich, openmpi };

std::string_view to_string(Mpi mpi);     // "mpich", "openmpi"
std::string_view display_name(Mpi mpi);  // "MPICH", "Open MPI"

/// The library to preload. Errors: not_found, with what to do; invalid_argument if the path contains a character that
/// LD_PRELOAD cannot hold.
base::Result<std::filesystem::path> preload_library(Mpi mpi);

/// The library that is loaded for messages over UCX; nullopt if Tutti was built without it.
std::optional<std::filesystem::path> ucx_library();

/// A program that the command runs under a launcher: tutti-bench, tutti-bench-overlap, tutti-tune. Error: not_found,
/// with what to do.
base::Result<std::filesystem::path> helper_program(std::string_view name, Mpi mpi);
/// The same for any MPI, for uses that need no launcher, such as --help.
base::Result<std::filesystem::path> helper_program(std::string_view name);

/// Template of the page of `tutti report --html`. Error: not_found, with what to do.
base::Result<std::filesystem::path> report_page();

/// Folder with scripts that have the names of the MPIs' launchers and are put before them in PATH (script.hpp).
std::filesystem::path launchers_folder();

}  // namespace tutti::command
