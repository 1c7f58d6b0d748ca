#include "base/executable.hpp"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace tutti::base {

namespace fs = std::filesystem;

namespace {

bool is_executable_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<fs::path> find_executable(const std::string& word) {
  if (word.find('/') != std::string::npos) {
    if (is_executable_file(word)) return fs::path(word);
    return std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / word;
    if (is_executable_file(candidate)) return candidate;
  }
  return std::nullopt;
}

}  // namespace tutti::base
