#include "command/rules_file.hpp"

#include <filesystem>

#include "select/learned.hpp"

namespace tutti::command {

namespace fs = std::filesystem;
using base::Result;
using base::Status;

Result<std::string> learnable_file(const std::string& name) {
  std::error_code error;
  const std::string path = fs::absolute(name, error);
  if (const Status status = select::check_learnable(path); !status) return status;
  return path;
}

}  // namespace tutti::command
