#include "bench/collective/files.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include "base/file.hpp"

namespace tutti::bench {

namespace {

bool is_well(const base::Status& status) {
  if (!status) fmt::print(stderr, "tutti bench: {}\n", status.message());
  return status.is_ok();
}

}  // namespace

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  PMPI_Get_library_version(text, &length);
  const std::string all = text;  // Open MPI counts the zero at the end
  return all.substr(0, all.find('\n'));
}

bool save(const std::string& file_name, const std::string& text) {
  std::fflush(stdout);  // the file may be /dev/stdout
  return is_well(base::replace_file(file_name, text));
}

int exit_status(int status) {
  return is_well(base::flush_standard_output()) || status != 0 ? status : 1;
}

bool can_save(const std::string& file_name) {
  return file_name.empty() || is_well(base::check_replaceable(file_name));
}

}  // namespace tutti::bench
