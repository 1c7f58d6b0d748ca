#pragma once
// Finds programs that are named in command lines.

#include <filesystem>
#include <optional>
#include <string>

namespace tutti::base {

/// Looks up a program name as a shell does: a path if it contains a slash, otherwise along PATH. Returns an executable
/// regular file, or nullopt.
std::optional<std::filesystem::path> find_executable(const std::string& word);

}  // namespace tutti::base
