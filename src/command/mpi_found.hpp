#pragma once
// Which MPI the dynamic linker finds for a preload library: asked in a process of its own, which loads it.

#include <string>

#include "command/installation.hpp"

namespace tutti::command {

/// "Open MPI v5.0.7, …; without large counts", or what keeps the library from being loaded. Empty where the library is
/// not there.
std::string mpi_found(Mpi mpi);

}  // namespace tutti::command
