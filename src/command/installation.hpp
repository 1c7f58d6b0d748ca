#pragma once
// Where the parts of Tutti lie, relative to the command itself: the same in a build tree and when installed.

#include <filesystem>
#include <optional>
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

/// What the library opens for messages over UCX, where Tutti was built with it.
std::optional<std::filesystem::path> ucx_library();

/// A program that the command runs under a launcher: tutti-bench, tutti-bench-overlap, tutti-tune. Error:
/// not_found, with what to do.
base::Result<std::filesystem::path> helper_program(std::string_view name, Mpi mpi);
/// The same for any MPI: what a program says about itself needs no launcher.
base::Result<std::filesystem::path> helper_program(std::string_view name);

/// What `tutti report --html` fills. Error: not_found, with what to do.
base::Result<std::filesystem::path> report_page();

/// Folders with one launcher each, which stands in front of the MPI's own (script.hpp).
std::filesystem::path launchers_folder();

}  // namespace tutti::command
