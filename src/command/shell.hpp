#pragma once
// Words as a shell reads them back.

#include <string>
#include <string_view>
#include <vector>

namespace tutti::command {

/// The word as it is where a shell leaves it alone, in quotes otherwise.
std::string quoted_for_shell(std::string_view word);

/// The words with spaces between them.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace tutti::command
