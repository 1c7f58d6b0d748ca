#pragma once
// Files that people name in settings.

#include <string>

#include "base/status.hpp"

namespace tutti::base {

/// The whole content of a regular file. Errors (system, invalid_argument) name the file and say why not:
/// directories cannot be read, and pipes would let some ranks wait for what others have taken.
Result<std::string> read_file(const std::string& name);

}  // namespace tutti::base
