#include "select/links.hpp"

#include <algorithm>

namespace tutti::select {

namespace {

/// Limit up to which the built-in rules apply. A link of 2.5 Gbit/s is above it; a link of 1 Gbit/s that passes an
/// initial burst (token bucket) is not.
constexpr uint64_t k_most_megabits_per_s = 1500;

/// "0.94".
std::string hundredths(uint64_t value) {
  const std::string part = std::to_string(value % 100);
  return std::to_string(value / 100) + (part.size() == 1 ? ".0" : ".") + part;
}

}  // namespace

Links Links::measured(uint64_t short_ns, uint64_t long_ns) {
  if (short_ns == k_unknown_ns || long_ns == k_unknown_ns) return said(false);
  const uint64_t wire_ns = std::max<uint64_t>(long_ns - std::min(long_ns, short_ns), 1);
  const uint64_t megabits_per_s = std::max<uint64_t>(k_long_bytes * 8 * 1000 / wire_ns, 1);
  return {.are_slow = megabits_per_s <= k_most_megabits_per_s,
          .megabits_per_s = megabits_per_s,
          .latency_ns = short_ns / 2};
}

std::string Links::description() const {
  const char* const meaning =
      are_slow ? "the built-in rules hold" : "the built-in rules are for slower links, and do not hold";
  if (megabits_per_s == 0) return std::string(are_slow ? "slow links: " : "fast links: ") + meaning;
  return hundredths(megabits_per_s / 10) + " Gbit/s, " + std::to_string((latency_ns + 500) / 1000) +
         " µs: " + meaning;
}

}  // namespace tutti::select
