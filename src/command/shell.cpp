#include "command/shell.hpp"

#include <algorithm>
#include <cctype>

namespace tutti::command {

std::string quoted_for_shell(std::string_view word) {
  constexpr std::string_view k_harmless = "_@%+=:,./-";
  const bool is_plain = std::all_of(word.begin(), word.end(), [&](unsigned char c) {
    return std::isalnum(c) != 0 || k_harmless.find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (is_plain && !word.empty()) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + '\'';
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + quoted_for_shell(word);
  return line;
}

}  // namespace tutti::command
