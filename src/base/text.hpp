#pragma once
// Parses and formats words and numbers in settings, rules and messages.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/status.hpp"

namespace tutti::base {

/// Parses a decimal integer; the whole text must be the number.
Result<uint64_t> parse_count(std::string_view text);

/// Parses a number of bytes: an integer, optionally followed by K, M or G (powers of 1024, either case).
Result<uint64_t> parse_bytes(std::string_view text);

/// The shortest text that parse_bytes() parses to the same number: 65536 -> "64K", 1000 -> "1000".
std::string format_bytes(uint64_t bytes);

/// 'text' for messages, always on one line: control characters as \\xNN, and long texts truncated.
std::string in_quotes(std::string_view text);

/// The text for a terminal, on one line: control characters become spaces.
std::string printable(std::string text);

/// The known word with the smallest edit distance to `word`; empty if none is close enough for a likely typing error.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

/// " (did you mean NEAREST?)", or empty if no known word is close.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

/// "1 call", "2 calls": regular plurals.
std::string counted(uint64_t count, std::string_view noun);

/// Escapes text for XML text or attributes.
std::string escape_xml(std::string_view text);

}  // namespace tutti::base
