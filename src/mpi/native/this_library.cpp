#include "mpi/native/library_version.hpp"
#include "mpi_versions.h"

namespace tutti::mpi {

std::string library_text() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  PMPI_Get_library_version(text, &length);  // permitted at any time
  return text;
}

std::string library_title() {
  const std::string text = library_text();
  return text.substr(0, text.find('\n'));
}

const LibraryVersion& library_version() {
  static const LibraryVersion version = parse_library_version(library_text());
  return version;
}

std::string missing_features() {
  struct Feature {
    const char* name;
    bool is_there;
  };
#ifdef OPEN_MPI
  const bool has_persistent = PMPI_Barrier_init != nullptr || PMPIX_Barrier_init != nullptr;
  const bool has_large_counts = false;
#else
  const bool has_persistent = PMPI_Barrier_init != nullptr;
  const bool has_large_counts = PMPI_Bcast_c != nullptr;
#endif
  const Feature features[] = {{"persistent collectives", has_persistent},
                              {"large counts", has_large_counts},
                              {"partitioned communication", PMPI_Psend_init != nullptr},
                              {"sessions", PMPI_Session_init != nullptr}};
  std::string missing;
  for (const auto& [name, is_there] : features)
    if (!is_there) missing += (missing.empty() ? "" : ", ") + std::string(name);
  return missing;
}

}  // namespace tutti::mpi
