#include "bench/tune/learned_sites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text.hpp"

namespace tutti::bench {

using select::Rule;

namespace {

bool is_of(const Rule& rule, const TunedSite& site, uint64_t ranks) {
  return rule.evidence.samples > 0 && rule.collective == site.calls->collective && rule.calls == site.kind &&
         rule.ranks == select::Range{ranks, ranks} && rule.bytes.contains(site.bytes);
}

bool is_same(const Rule& a, const Rule& b) {
  return a.collective == b.collective && a.calls == b.calls && a.ranks == b.ranks && a.nodes == b.nodes &&
         a.ranks_per_node == b.ranks_per_node && a.bytes == b.bytes && a.use == b.use &&
         a.evidence == b.evidence;
}

std::string text_of(const Rule& rule) {
  std::string_view reason = rule.because;
  if (constexpr std::string_view k_prefix = "learned: "; reason.starts_with(k_prefix))
    reason.remove_prefix(k_prefix.size());
  const auto us = [](uint64_t ns) {
    return ns == 0 ? std::string("-") : fmt::format("{:.1f}", static_cast<double>(ns) / 1e3);
  };
  return fmt::format("{:>12} {:>12}  {}: {}", us(rule.evidence.native_ns), us(rule.evidence.median_ns),
                     to_string(rule.use), reason);
}

}  // namespace

std::vector<Rule> rules_so_far(const std::string& file_name) {
  auto rules = select::load_rules(file_name);
  return rules ? std::move(*rules) : std::vector<Rule>{};
}

size_t print_learned(std::span<const TunedSite> sites, int ranks, std::span<const Rule> before,
                     const std::string& file_name) {
  const std::vector<Rule> now = rules_so_far(file_name);
  const auto is_new = [&](const Rule& rule) {
    return std::none_of(before.begin(), before.end(), [&](const Rule& old) { return is_same(old, rule); });
  };
  fmt::print("{:<21}{:<13}{:>8}{:>9}{:>8} {:>12} {:>12}  {}\n", "# collective", "calls", "bytes", "made", "s",
             "native us", "best us", "choice");
  size_t learned = 0;
  for (const TunedSite& site : sites) {
    const auto rule = std::find_if(now.begin(), now.end(), [&](const Rule& each) {
      return is_of(each, site, static_cast<uint64_t>(ranks)) && is_new(each);
    });
    learned += rule != now.end();
    const std::string text =
        rule != now.end() ? text_of(*rule) : fmt::format("{:>12} {:>12}  nothing new", "-", "-");
    fmt::print("{:<21}{:<13}{:>8}{:>9}{:>8.1f} {}\n", algorithm::to_string(site.calls->collective),
               select::to_string(site.kind), base::format_bytes(site.bytes), site.calls_made, site.seconds,
               text);
  }
  return learned;
}

}  // namespace tutti::bench
