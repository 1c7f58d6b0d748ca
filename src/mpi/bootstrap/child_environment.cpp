#include "mpi/bootstrap/child_environment.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace tutti::mpi {

std::string without_entries(std::string_view preload,
                            const std::function<bool(const std::string&)>& is_ours) {
  constexpr std::string_view k_separators = ": ";
  std::string kept;
  while (!preload.empty()) {
    const std::string entry(preload.substr(0, preload.find_first_of(k_separators)));
    preload.remove_prefix(std::min(entry.size() + 1, preload.size()));
    if (!entry.empty() && !is_ours(entry)) kept += (kept.empty() ? "" : ":") + entry;
  }
  return kept;
}

void hide_from_children() {
  const char* const before = std::getenv("LD_PRELOAD");
  Dl_info own{};
  if (before == nullptr || dladdr(reinterpret_cast<const void*>(&hide_from_children), &own) == 0) return;
  const std::string after = without_entries(before, [&own](const std::string& entry) {
    std::error_code error;  // ignored: a missing file is not ours
    return entry == own.dli_fname || std::filesystem::equivalent(entry, own.dli_fname, error);
  });
  // NOLINTBEGIN(concurrency-mt-unsafe): inside MPI_Init, where the program has no reason to touch it
  if (after.empty())
    unsetenv("LD_PRELOAD");
  else
    setenv("LD_PRELOAD", after.c_str(), 1);
  // NOLINTEND(concurrency-mt-unsafe)
}

}  // namespace tutti::mpi
