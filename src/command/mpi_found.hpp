#pragma once
// The MPI that the dynamic linker finds for a preload library. The library is loaded in a separate process.

#include <string>

#include "command/installation.hpp"

namespace tutti::command {

/// "Open MPI v5.0.7, …; without large counts", or why the library cannot be loaded. Empty if the library does not
/// exist.
std::string mpi_found(Mpi mpi);

}  // namespace tutti::command
