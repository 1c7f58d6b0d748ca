#include "command/installation.hpp"

#include <fmt/format.h>

#include "command/build_info.hpp"

namespace tutti::command {

namespace fs = std::filesystem;
using base::Result;
using base::Status;

namespace {

/// The parent of the folder with the running command.
fs::path prefix() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path("/usr") : self.parent_path().parent_path();
}

bool is_built_for(Mpi mpi) {
  return k_mpis.find(to_string(mpi)) != std::string_view::npos;
}

/// Returns the file, or an error with what is missing and what to do. `target` builds it.
Result<fs::path> existing(const fs::path& path, Mpi mpi, const std::string& target) {
  std::error_code error;
  if (fs::exists(path, error)) return path;
  if (!is_built_for(mpi))
    return Status::not_found(
        fmt::format("{} is missing: this Tutti was built without {} (install {} and build again)",
                    path.string(), display_name(mpi), mpi == Mpi::mpich ? "libmpich-dev" : "libopenmpi-dev"));
  if (fs::exists(prefix() / "CMakeCache.txt", error))
    return Status::not_found(fmt::format("{} has not been built: cmake --build {} --target {}", path.string(),
                                         prefix().string(), target));
  return Status::not_found(fmt::format("{} is missing: install Tutti again", path.string()));
}

}  // namespace

std::string_view to_string(Mpi mpi) {
  return mpi == Mpi::mpich ? "mpich" : "openmpi";
}
std::string_view display_name(Mpi mpi) {
  return mpi == Mpi::mpich ? "MPICH" : "Open MPI";
}

Result<fs::path> preload_library(Mpi mpi) {
  const fs::path path = prefix() / k_library_folder / fmt::format("libtutti-{}.so", to_string(mpi));
  if (path.native().find_first_of(" :") != std::string::npos)
    return Status::invalid_argument(fmt::format(
        "{} cannot be preloaded: LD_PRELOAD takes no path with a space or a colon (move Tutti elsewhere)",
        path.string()));
  return existing(path, mpi, fmt::format("tutti_mpi_{}", to_string(mpi)));
}

Result<fs::path> report_page() {
  const fs::path path = prefix() / k_data_folder / "tutti" / "report_page.html";
  std::error_code error;
  if (fs::exists(path, error)) return path;
  return Status::not_found(
      fmt::format("{} is missing: this Tutti is not whole (install or build it again)", path.string()));
}

std::optional<fs::path> ucx_library() {
  const fs::path path = prefix() / k_library_folder / "libtutti-ucx.so";
  std::error_code error;
  return fs::exists(path, error) ? std::optional(path) : std::nullopt;
}

Result<fs::path> helper_program(std::string_view name, Mpi mpi) {
  const std::string program = fmt::format("{}-{}", name, to_string(mpi));
  return existing(prefix() / k_helper_folder / program, mpi, program);
}

Result<fs::path> helper_program(std::string_view name) {
  Status missing = Status::not_found(
      "this Tutti was built without any MPI (install libmpich-dev or libopenmpi-dev and build again)");
  for (const Mpi mpi : {Mpi::openmpi, Mpi::mpich}) {
    auto program = helper_program(name, mpi);
    if (program) return program;
    if (is_built_for(mpi)) missing = program.status();
  }
  return missing;
}

fs::path launchers_folder() {
  return prefix() / k_helper_folder / "launchers";
}

}  // namespace tutti::command
