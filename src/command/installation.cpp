#include "command/installation.hpp"

#include <fmt/format.h>

#include "command/build_info.hpp"

namespace tutti::command {

namespace fs = std::filesystem;
using base::Result;
using base::Status;

namespace {

/// The folder above the one that holds the running command.
fs::path prefix() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path("/usr") : self.parent_path().parent_path();
}

Result<fs::path> existing(const fs::path& path, Mpi mpi) {
  std::error_code error;
  if (fs::exists(path, error)) return path;
  return Status::not_found(
      fmt::format("{} is missing: this Tutti was built without {} (install {} and build again)",
                  path.string(), display_name(mpi), mpi == Mpi::mpich ? "libmpich-dev" : "libopenmpi-dev"));
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
  return existing(path, mpi);
}

std::optional<fs::path> ucx_library() {
  const fs::path path = prefix() / k_library_folder / "libtutti-ucx.so";
  std::error_code error;
  return fs::exists(path, error) ? std::optional(path) : std::nullopt;
}

Result<fs::path> helper_program(std::string_view name, Mpi mpi) {
  return existing(prefix() / k_helper_folder / fmt::format("{}-{}", name, to_string(mpi)), mpi);
}

fs::path launchers_folder() {
  return prefix() / k_helper_folder / "launchers";
}

}  // namespace tutti::command
