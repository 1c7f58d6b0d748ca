#include "fabric/parse_util.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace tutti::fabric {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> words;
  for (;;) {
    const size_t at = text.find(separator);
    words.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return words;
    text.remove_prefix(at + 1);
  }
}

std::string_view take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view take_word(std::string_view& text) {
  constexpr std::string_view k_space = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(k_space), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(k_space));
  text.remove_prefix(word.size());
  return word;
}

std::optional<uint64_t> parse_hex(std::string_view text) {
  constexpr int k_hexadecimal = 16;
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, k_hexadecimal);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace tutti::fabric
