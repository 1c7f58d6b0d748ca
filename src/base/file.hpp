#pragma once
// Files that people name in settings.

#include <string>

#include "base/status.hpp"

namespace tutti::base {

/// The whole content of a regular file. Errors (system, invalid_argument) name the file and say why not:
/// directories cannot be read, and pipes would let some ranks wait for what others have taken.
Result<std::string> read_file(const std::string& name);

/// The file behind symbolic links, which renaming would replace; the name itself where there is none.
std::string resolve_links(const std::string& name);

/// Puts a whole new file in the place of the old one, if there is one, with its permissions. What is read
/// under the name is either of them, even after a crash. What is no regular file, like /dev/stdout or a pipe,
/// stays what it is and is written into. Errors: system.
Status replace_file(const std::string& name, const std::string& text);

/// Whether replace_file() can be expected to work, as far as permissions tell: for asking before long work.
/// Errors: system.
Status check_replaceable(const std::string& name);

}  // namespace tutti::base
