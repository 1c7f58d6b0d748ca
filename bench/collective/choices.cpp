#include "bench/collective/choices.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

namespace tutti::bench {

namespace {

/// The report of what is preloaded; empty: there is none.
std::string report() {
  // A program that runs with and without Tutti must not need the symbol.
  const auto ask = reinterpret_cast<char* (*)()>(dlsym(RTLD_DEFAULT, "tutti_report"));
  if (ask == nullptr) return {};
  const std::unique_ptr<char, decltype(&std::free)> text(ask(), std::free);
  return text == nullptr ? std::string() : std::string(text.get());
}

}  // namespace

ChoiceCounts choices_so_far(const std::string& collective) {
  ChoiceCounts counts;
  const auto document = nlohmann::json::parse(report(), nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) return counts;
  for (const auto& line : document.value("calls", nlohmann::json::array()))
    if (line.value("collective", "") == collective)
      counts[line.value("choice", "")] += line.value("calls", uint64_t{0});
  return counts;
}

ChoiceCounts choices_between(const ChoiceCounts& before, const ChoiceCounts& after) {
  ChoiceCounts served;
  for (const auto& [choice, calls] : after) {
    const auto known = before.find(choice);
    const uint64_t more = calls - (known == before.end() ? 0 : known->second);
    if (more > 0) served[choice] = more;
  }
  return served;
}

std::string choice_of(const ChoiceCounts& served) {
  if (served.empty()) return {};
  const auto calls_of = [](const auto& one) { return one.second; };
  const std::string& most = std::ranges::max_element(served, {}, calls_of)->first;
  if (served.size() == 1) return most;
  return fmt::format("{} and {} other{}", most, served.size() - 1, served.size() == 2 ? "" : "s");
}

}  // namespace tutti::bench
