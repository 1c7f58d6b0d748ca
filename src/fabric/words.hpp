#pragma once
// Parsing helpers that the file formats and descriptions of this room share.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tutti::fabric {

/// Parts between separators; always at least one, possibly empty.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Takes the next line off the front of `text`, without its end ("\n" or "\r\n").
std::string_view take_line(std::string_view& text);

/// Takes the next word (no spaces, no tabs) off the front; empty when there is none.
std::string_view take_word(std::string_view& text);

/// Hexadecimal digits, with or without "0x"; the whole text.
std::optional<uint64_t> parse_hex(std::string_view text);

}  // namespace tutti::fabric
