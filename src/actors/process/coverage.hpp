#pragma once
// Programs that name calls which ranks as threads do not have: libraries such as HDF5 name many that their programs
// never make, so the job begins, says so, and ends where one is made (stub/host.h).

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::actors {

struct LoadedProgram {
  std::string file;
  uint64_t begin = 0;  // where it is loaded
};

/// What is to be said of such calls that the programs and the libraries loaded with them name, in one line without its
/// end; empty: there are none. `covered`: names of calls without MPI_.
std::string uncovered_text(const std::vector<LoadedProgram>& programs,
                           std::span<const std::string_view> covered);
/// The call that a symbol belongs to, in C or Fortran: "MPI_Send", "mpi_send_" -> "send"; empty: it is none.
std::string call_of_symbol(std::string_view symbol);

}  // namespace tutti::actors
