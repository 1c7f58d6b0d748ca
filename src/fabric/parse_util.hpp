#pragma once
// Parsing helpers for the file formats and descriptions of this module.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tutti::fabric {

/// Splits at each separator; returns at least one part. Parts may be empty.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Removes the next line from the front of `text` and returns it without its end ("\n" or "\r\n").
std::string_view take_line(std::string_view& text);

/// Removes the next word (no spaces, no tabs) from the front and returns it; empty when there is none.
std::string_view take_word(std::string_view& text);

/// Parses hexadecimal digits, with or without "0x"; nullopt unless the whole text matches.
std::optional<uint64_t> parse_hex(std::string_view text);

}  // namespace tutti::fabric
