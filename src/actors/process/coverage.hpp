#pragma once
// Programs that need calls which ranks as threads do not have are refused before they begin.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.hpp"

namespace tutti::actors {

/// `programs`: where they are loaded. Looks at them and at the libraries that are loaded with them. `covered`: names of
/// calls without MPI_. Error: not_supported, with the calls and who needs them.
base::Status check_loaded_libraries(const std::vector<uint64_t>& programs,
                                    std::span<const std::string_view> covered);
/// The call that a symbol belongs to, in C or Fortran: "MPI_Send", "mpi_send_" -> "send"; empty: it is none.
std::string call_of_symbol(std::string_view symbol);

}  // namespace tutti::actors
