#pragma once
// Detects programs that refer to MPI calls which ranks as threads do not support. Libraries such as HDF5
// refer to many calls that their programs never make; therefore the job starts with a warning, and ends if
// one is made (stub/host.h).

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::actors {

struct LoadedProgram {
  std::string file;
  uint64_t begin = 0;  // load address
};

/// The warning about unsupported calls that the programs and their libraries refer to, in one line without
/// newline; empty: there are none. `covered`: names of supported calls without MPI_.
std::string uncovered_text(const std::vector<LoadedProgram>& programs,
                           std::span<const std::string_view> covered);
/// The call that a C or Fortran symbol belongs to: "MPI_Send", "mpi_send_" -> "send"; empty: not an MPI call.
std::string call_of_symbol(std::string_view symbol);

}  // namespace tutti::actors
