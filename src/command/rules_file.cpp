#include "command/rules_file.hpp"

#include <filesystem>

#include "base/file.hpp"
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
  if (const Status status = base::check_replaceable(path.string()); !status) return status;
  return path.string();
}

}  // namespace tutti::command
