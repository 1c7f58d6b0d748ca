#include "base/text.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <vector>

namespace tutti::base {

namespace {

constexpr int k_kilo_shift = 10;

/// log2 of the factor of a unit letter, or -1.
int unit_shift(char letter) {
  switch (letter) {
    case 'k':
    case 'K':
      return k_kilo_shift;
    case 'm':
    case 'M':
      return 2 * k_kilo_shift;
    case 'g':
    case 'G':
      return 3 * k_kilo_shift;
    default:
      return -1;
  }
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

Result<uint64_t> parse_count(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range)
    return Status::invalid_argument(in_quotes(text) + " is too large");
  if (error != std::errc{} || end != text.data() + text.size())
    return Status::invalid_argument(in_quotes(text) + " is not a whole number");
  return value;
}

Result<uint64_t> parse_bytes(std::string_view text) {
  const int shift = text.empty() ? -1 : unit_shift(text.back());
  if (shift < 0) return parse_count(text);
  auto value = parse_count(text.substr(0, text.size() - 1));
  if (!value)
    return Status::invalid_argument(in_quotes(text) + " is not a number of bytes (like 4096 or 64K)");
  if (*value > (UINT64_MAX >> shift)) return Status::invalid_argument(in_quotes(text) + " is too large");
  return *value << shift;
}

std::string format_bytes(uint64_t bytes) {
  constexpr std::string_view k_letters = "KMG";
  size_t unit = 0;
  while (unit < k_letters.size() && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  std::string text = std::to_string(bytes);
  if (unit > 0) text += k_letters[unit - 1];
  return text;
}

std::string in_quotes(std::string_view text) {
  constexpr size_t k_longest = 120;
  constexpr std::string_view k_hex = "0123456789abcdef";
  std::string result = "'";
  for (const char letter : text.substr(0, k_longest)) {
    const auto code = static_cast<unsigned char>(letter);
    if (code >= ' ' && code != 0x7f)
      result += letter;
    else
      result.append("\\x").append({k_hex[code >> 4], k_hex[code & 0xf]});
  }
  return result + (text.size() > k_longest ? "…'" : "'");
}

std::string printable(std::string text) {
  constexpr unsigned char k_delete = 0x7f, k_lead_of_c1 = 0xc2;  // UTF-8 of U+0080 to U+009F: c2 80 to c2 9f
  for (size_t i = 0; i < text.size(); ++i) {
    const auto code = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (code < ' ' || code == k_delete) text[i] = ' ';
    if (code == k_lead_of_c1 && next >= 0x80 && next < 0xa0) text[i] = text[i + 1] = ' ';
  }
  return text;
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  std::string_view best;
  size_t best_distance = std::max<size_t>(2, word.size() / 3) + 1;
  for (std::string_view candidate : known) {
    const size_t distance = edit_distance(word, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view near = nearest(word, known);
  return near.empty() ? std::string{} : " (did you mean " + std::string(near) + "?)";
}

std::string counted(uint64_t count, std::string_view noun) {
  return std::to_string(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

std::string escape_xml(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:  // other control characters are invalid in XML
        safe += static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' ? ' ' : c;
    }
  }
  return safe;
}

}  // namespace tutti::base
