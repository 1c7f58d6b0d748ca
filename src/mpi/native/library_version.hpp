#pragma once
// Name and version of the loaded MPI. One library serves all versions with the same binary interface and detects
// missing or faulty features at run time.

#include <string>
#include <string_view>

namespace tutti::mpi {

struct LibraryVersion {
  std::string_view name = "an unknown MPI";  // "Open MPI", "MPICH", or a derivative of MPICH
  int major = 0, minor = 0, patch = 0;       // of this product; 0: not given

  bool is(std::string_view wanted, int wanted_major) const { return name == wanted && major == wanted_major; }
};

/// Parses the text of MPI_Get_library_version.
LibraryVersion parse_library_version(std::string_view text);

/// Version of the MPI in this process. Any thread, at any time.
const LibraryVersion& library_version();
/// The MPI's own description, of several lines, and its first line.
std::string library_text();
std::string library_title();

/// Parts of MPI 4 that this MPI lacks ("large counts, sessions"), among the functions that Tutti wraps; empty: none.
std::string missing_features();

}  // namespace tutti::mpi
