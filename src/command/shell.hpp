#pragma once
// Quotes words for a shell.

#include <string>
#include <string_view>
#include <vector>

namespace tutti::command {

/// The word unchanged if a shell does not interpret it, otherwise in quotes.
std::string quoted_for_shell(std::string_view word);

/// The quoted words with spaces between them.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace tutti::command
