#include "arrival/duration.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "base/text.hpp"

namespace tutti::arrival {

using base::Status;

namespace {

constexpr std::pair<std::string_view, uint64_t> k_units[] = {
    {"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}, {"ns", 1}};

uint64_t ns_of_unit(std::string_view unit) {
  for (const auto& [name, ns] : k_units)
    if (name == unit) return ns;
  return 0;
}

}  // namespace

base::Result<uint64_t> parse_duration_ns(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  const uint64_t unit =
      error == std::errc() ? ns_of_unit({rest, static_cast<size_t>(end - rest)}) : uint64_t{0};
  // from_chars also accepts "inf", "nan" and signs.
  const bool is_number = !text.empty() && text.front() >= '0' && text.front() <= '9';
  if (!is_number || unit == 0)
    return Status::invalid_argument(
        fmt::format("{} is no duration, like 5ms (units: ns, us, ms, s)", base::in_quotes(text)));
  const double ns = number * static_cast<double>(unit);
  if (!(ns <= static_cast<double>(k_longest_ns)))
    return Status::invalid_argument(
        fmt::format("{} is too long; at most {}", base::in_quotes(text), format_duration(k_longest_ns)));
  return static_cast<uint64_t>(std::llround(ns));
}

std::string format_duration(uint64_t ns) {
  for (const auto& [name, unit] : k_units) {
    if (ns < unit) continue;
    std::string text = fmt::format("{}", ns / unit);
    if (uint64_t fraction = ns % unit; fraction > 0) {
      text += '.';
      for (uint64_t digit = unit / 10; fraction > 0; fraction %= digit, digit /= 10)
        text += static_cast<char>('0' + fraction / digit);
    }
    return text.append(name);
  }
  return "0ns";
}

}  // namespace tutti::arrival
