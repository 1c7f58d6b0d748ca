#pragma once
// Words and numbers as people write them in settings, rules and messages.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/status.hpp"

namespace tutti::base {

/// Reads a whole number in decimal; the whole text must be the number.
Result<uint64_t> parse_count(std::string_view text);

/// Reads bytes: a whole number, optionally followed by K, M or G (powers of 1024, either case).
Result<uint64_t> parse_bytes(std::string_view text);

/// The shortest text that parse_bytes() reads back: 65536 -> "64K", 1000 -> "1000".
std::string format_bytes(uint64_t bytes);

/// 'text' for messages, always on one line: control characters as \\xNN, and cut where nobody would read on.
std::string in_quotes(std::string_view text);

/// The text for a terminal, on one line: control characters become spaces.
std::string printable(std::string text);

/// The word nearest to `word` by edit distance, or an empty view when none is near enough to be a likely
/// slip.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

/// " (did you mean NEAREST?)", or nothing when no known word is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

/// "1 call", "2 calls": regular plurals.
std::string counted(uint64_t count, std::string_view noun);

/// As text or attribute of XML.
std::string escape_xml(std::string_view text);

}  // namespace tutti::base
