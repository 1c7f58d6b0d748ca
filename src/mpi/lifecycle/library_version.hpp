#pragma once
// Which MPI is loaded, and in which version: one library serves all versions that have the same binary interface, and
// what they lack or do wrong is found out at run time.

#include <string>
#include <string_view>

namespace tutti::mpi {

struct LibraryVersion {
  std::string_view name = "an unknown MPI";  // "Open MPI", "MPICH", or one that descends from it
  int major = 0, minor = 0, patch = 0;       // of that name; 0 where it does not say

  bool is(std::string_view wanted, int wanted_major) const { return name == wanted && major == wanted_major; }
};

/// Of what MPI_Get_library_version says.
LibraryVersion parse_library_version(std::string_view text);

/// Of the MPI in this process. Any thread, at any time.
const LibraryVersion& library_version();
/// What it says itself, of many lines, and the first of them.
std::string library_text();
std::string library_title();

/// What this MPI lacks of MPI 4 ("large counts, sessions"), as far as Tutti stands in front of it; empty: nothing.
std::string missing_features();

}  // namespace tutti::mpi
