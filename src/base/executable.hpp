#pragma once
// Programs that people name in command lines.

#include <filesystem>
#include <optional>
#include <string>

namespace tutti::base {

/// Looks a word of a command line up as a shell would: a path when it has a slash, otherwise along PATH.
/// An executable regular file, or nothing.
std::optional<std::filesystem::path> find_executable(const std::string& word);

}  // namespace tutti::base
