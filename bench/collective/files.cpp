#include "bench/collective/files.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <fstream>

namespace tutti::bench {

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  PMPI_Get_library_version(text, &length);
  const std::string all = text;  // Open MPI counts the zero at the end
  return all.substr(0, all.find('\n'));
}

bool save(const std::string& file_name, const std::string& text) {
  std::ofstream file(file_name);
  file << text;
  if (file.flush()) return true;
  fmt::print(stderr, "tutti bench: cannot write {}\n", file_name);
  return false;
}

}  // namespace tutti::bench
