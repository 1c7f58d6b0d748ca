#pragma once
// Files that people name in settings.

#include <string>

#include "base/status.hpp"

namespace tutti::base {

/// The whole content of a regular file. Errors (system, invalid_argument) name the file and say why not:
/// directories cannot be read, and pipes would let some ranks wait for what others have taken.
Result<std::string> read_file(const std::string& name);

/// Puts a whole new file in the place of the old one, if there is one. What is read under the name is either
/// of them, even after a crash. `mode`: its permissions. Errors: system.
Status replace_file(const std::string& name, const std::string& text, unsigned mode = 0644);

}  // namespace tutti::base
