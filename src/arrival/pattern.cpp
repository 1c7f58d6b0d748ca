#include "arrival/pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <utility>

#include "arrival/duration.hpp"
#include "base/file.hpp"
#include "base/random.hpp"
#include "base/text.hpp"

namespace tutti::arrival {

using base::Result;
using base::Status;

namespace {

constexpr std::pair<std::string_view, Kind> k_named[] = {
    {"none", Kind::none},           {"uniform", Kind::uniform},     {"exponential", Kind::exponential},
    {"normal", Kind::normal},       {"straggler", Kind::straggler}, {"one-late", Kind::one_late},
    {"ascending", Kind::ascending}, {"halves", Kind::halves}};
constexpr std::string_view k_rank = "rank=";
constexpr uint64_t k_deviations_of_mean = 3;

/// The two parts of "a,b"; the second is empty without a comma.
std::pair<std::string_view, std::string_view> halves_of(std::string_view text, char between) {
  const size_t at = text.find(between);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

Result<Pattern> with_duration(Pattern pattern, std::string_view text) {
  const auto ns = parse_duration_ns(text);
  if (!ns) return ns.status();
  pattern.spread_ns = *ns;
  return pattern;
}

Result<Pattern> parse_normal(const Pattern& pattern, std::string_view text) {
  const auto [first, second] = halves_of(text, ',');
  auto made = with_duration(pattern, text == first ? first : second);
  if (!made) return made;
  if (text == first) {
    made->mean_ns = std::min(k_deviations_of_mean * made->spread_ns, k_longest_ns);
    return made;
  }
  const auto mean = parse_duration_ns(first);
  if (!mean) return mean.status();
  made->mean_ns = *mean;
  return made;
}

Result<Pattern> parse_straggler(Pattern pattern, std::string_view text) {
  const auto [who, how_late] = halves_of(text, ',');
  const auto rank = base::parse_count(who.starts_with(k_rank) ? who.substr(k_rank.size()) : "");
  if (!rank || *rank >= UINT32_MAX)
    return Status::invalid_argument(fmt::format(
        "{}: which rank is late, and how late, like straggler:rank=3,20ms", base::in_quotes(text)));
  pattern.rank = static_cast<uint32_t>(*rank);
  return with_duration(pattern, how_late);
}

uint64_t draw(uint64_t seed, uint32_t rank, uint32_t call, uint64_t salt) {
  return base::mixed(base::mixed(seed ^ salt) ^ (uint64_t{call} << 32 | rank));
}

/// N(0, 1), by the Box-Muller transform.
double standard_normal(uint64_t seed, uint32_t rank, uint32_t call) {
  const double radius = std::sqrt(-2 * std::log1p(-base::as_fraction(draw(seed, rank, call, 1))));
  return radius * std::cos(2 * std::numbers::pi * base::as_fraction(draw(seed, rank, call, 3)));
}

std::string no_pattern(std::string_view text) {
  std::array<std::string_view, std::size(k_named)> names;
  for (size_t i = 0; i < names.size(); ++i) names[i] = k_named[i].first;
  const std::string_view word = halves_of(text, ':').first;
  return fmt::format("{} is no arrival pattern, like uniform:5ms{}", base::in_quotes(text),
                     base::did_you_mean(word, names));
}

}  // namespace

std::string_view to_string(Kind kind) {
  for (const auto& [name, value] : k_named)
    if (value == kind) return name;
  return "recorded";
}

Result<Pattern> parse_pattern(std::string_view text) {
  const auto [word, rest] = halves_of(text, ':');
  for (const auto& [name, kind] : k_named) {
    if (name != word) continue;
    Pattern pattern;
    pattern.kind = kind;
    if (kind == Kind::none) {
      if (text == name) return pattern;
      break;
    }
    auto made = kind == Kind::normal      ? parse_normal(pattern, rest)
                : kind == Kind::straggler ? parse_straggler(pattern, rest)
                                          : with_duration(pattern, rest);
    if (!made) return Status::invalid_argument(fmt::format("{}: {}", name, made.status().message()));
    return made;
  }
  return Status::invalid_argument(no_pattern(text));
}

Result<Pattern> load_pattern(const std::string& text) {
  auto named = parse_pattern(text);
  const std::string_view word = halves_of(text, ':').first;
  for (const auto& [name, kind] : k_named)
    if (name == word) return named;
  std::error_code error;
  const uint64_t bytes = std::filesystem::file_size(text, error);
  if (error == std::errc::no_such_file_or_directory)
    return Status::invalid_argument(named.status().message() + ", and no file");
  if (!error && bytes > k_most_recording_bytes)
    return Status::invalid_argument(fmt::format("{}: more than {} bytes", text, k_most_recording_bytes));
  const auto content = base::read_file(text);
  if (!content) return content.status();
  auto recording = parse_recording(*content, text);
  if (!recording) return recording.status();
  Pattern pattern;
  pattern.kind = Kind::recorded;
  pattern.recording = std::make_shared<const Recording>(*std::move(recording));
  return pattern;
}

std::string to_text(const Pattern& pattern) {
  const std::string spread = format_duration(pattern.spread_ns);
  switch (pattern.kind) {
    case Kind::none:
      return "none";
    case Kind::recorded:
      return pattern.recording->name;
    case Kind::normal:
      return fmt::format("normal:{},{}", format_duration(pattern.mean_ns), spread);
    case Kind::straggler:
      return fmt::format("straggler:rank={},{}", pattern.rank, spread);
    default:
      return fmt::format("{}:{}", to_string(pattern.kind), spread);
  }
}

Status check(const Pattern& pattern, uint32_t ranks) {
  if (pattern.kind == Kind::straggler && pattern.rank >= ranks)
    return Status::invalid_argument(
        fmt::format("{}: there are only {} ranks, from 0 on", to_text(pattern), ranks));
  if (pattern.kind == Kind::recorded && pattern.recording->ranks != ranks)
    return Status::invalid_argument(fmt::format("{}: the lateness of {} ranks, but there are {}",
                                                to_text(pattern), pattern.recording->ranks, ranks));
  return {};
}

double delay_ns(const Pattern& pattern, uint64_t seed, Who who, uint32_t call) {
  const auto spread = static_cast<double>(pattern.spread_ns);
  const double chance = base::as_fraction(draw(seed, who.rank, call, 1));
  switch (pattern.kind) {
    case Kind::none:
      return 0;
    case Kind::uniform:
      return spread * chance;
    case Kind::exponential:
      return -spread * std::log1p(-chance);
    case Kind::normal:
      return std::max(static_cast<double>(pattern.mean_ns) + spread * standard_normal(seed, who.rank, call),
                      0.0);
    case Kind::straggler:
      return who.rank == pattern.rank ? spread : 0;
    case Kind::one_late:
      return draw(seed, 0, call, 2) % who.ranks == who.rank ? spread : 0;
    case Kind::ascending:
      return who.ranks < 2 ? 0 : spread * who.rank / (who.ranks - 1);
    case Kind::halves:
      return who.rank % 2 == 0 ? 0 : spread;
    case Kind::recorded:
      return static_cast<double>(pattern.recording->at(call, who.rank));
  }
  return 0;
}

}  // namespace tutti::arrival
