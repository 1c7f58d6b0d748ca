#include "command/rules_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "select/rules.hpp"

namespace tutti::command {

namespace fs = std::filesystem;
using base::Result;
using base::Status;

Result<std::string> learnable_file(const std::string& name) {
  std::error_code error;
  fs::path path = fs::absolute(name, error);
  // A link's file is replaced, not the link.
  if (const fs::path target = fs::canonical(path, error); !error) path = target;
  if (fs::exists(path, error)) {
    const bool is_empty = fs::is_regular_file(path, error) && fs::file_size(path, error) == 0;
    if (!is_empty)
      if (const auto rules = select::load_rules(path); !rules) return rules.status();
  }
  // A new file takes the place of the old one: what has to be writable is the folder.
  const fs::path folder = path.parent_path();
  if (access(folder.c_str(), W_OK | X_OK) != 0) return Status::system("cannot write " + path.string(), errno);
  return path.string();
}

}  // namespace tutti::command
