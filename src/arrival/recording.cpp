#include "arrival/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "arrival/duration.hpp"
#include "base/text.hpp"

namespace tutti::arrival {

using base::Status;

namespace {

constexpr std::string_view k_blanks = " \t\r\v\f";
constexpr double k_ns_per_us = 1000;

/// Removes the first word from `line` and returns it; empty at the end.
std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(k_blanks), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(k_blanks));
  line.remove_prefix(word.size());
  return word;
}

/// Parses microseconds to nanoseconds. Returns false for invalid text.
bool read_lateness(std::string_view word, uint64_t* ns) {
  double us = 0;
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), us);
  // This form of the conditions also rejects NaN.
  if (error != std::errc() || rest != word.data() + word.size() || !(us >= 0) ||
      !(us * k_ns_per_us <= static_cast<double>(k_longest_ns)))
    return false;
  *ns = static_cast<uint64_t>(std::llround(us * k_ns_per_us));
  return true;
}

/// Appends the numbers of one line. Returns what is wrong with it, or an empty string.
std::string read_call(std::string_view line, Recording& recording) {
  const size_t before = recording.lateness_ns.size();
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
    uint64_t ns = 0;
    if (!read_lateness(word, &ns))
      return fmt::format("{} is no lateness: microseconds, from 0 to {}", base::in_quotes(word),
                         k_longest_ns / 1000);
    if (recording.lateness_ns.size() == k_most_recorded)
      return fmt::format("more than {} numbers", k_most_recorded);
    recording.lateness_ns.push_back(ns);
  }
  const size_t count = recording.lateness_ns.size() - before;
  if (recording.ranks == 0) recording.ranks = static_cast<uint32_t>(count);
  if (count == 0 || count == recording.ranks) return {};
  return fmt::format("{} ranks, where the lines before have {}", count, recording.ranks);
}

}  // namespace

base::Result<Recording> parse_recording(std::string_view text, const std::string& name) {
  if (text.size() > k_most_recording_bytes)
    return Status::invalid_argument(fmt::format("{}: more than {} bytes", name, k_most_recording_bytes));
  Recording recording{.name = name, .ranks = 0, .lateness_ns = {}};
  for (size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::string wrong = read_call(line.substr(0, line.find('#')), recording);
    if (!wrong.empty()) return Status::invalid_argument(fmt::format("{}:{}: {}", name, number, wrong));
  }
  if (recording.ranks == 0) return Status::invalid_argument(name + ": no line with the lateness of ranks");
  return recording;
}

}  // namespace tutti::arrival
