#include "actors/process/tunables.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "actors/loader/link_namespace.hpp"
#include "base/environment.hpp"

namespace tutti::actors {

namespace {

constexpr const char* k_tunables = "GLIBC_TUNABLES";
/// Its value before; unset if it was not set.
constexpr const char* k_before = "TUTTI_ACTORS_GLIBC_TUNABLES";
constexpr const char* k_begun = "TUTTI_ACTORS_BEGUN";

bool is(std::string_view entry, std::string_view name) {
  return entry.starts_with(name) && entry.size() > name.size() && entry[name.size()] == '=';
}

}  // namespace

void begin_with_tunables(char** arguments) {
  if (std::getenv(k_begun) != nullptr) return;
  std::string all = k_loader_tunables;
  if (const char* const before = std::getenv(k_tunables); before != nullptr) {
    setenv(k_before, before, 1);
    all = std::string(before) + ':' + all;
  }
  setenv(k_tunables, all.c_str(), 1);
  setenv(k_begun, "1", 1);
  execv("/proc/self/exe", arguments);
}

std::vector<std::string> environment_without_tunables() {
  std::vector<std::string> kept;
  for (const char* const* entry = base::environment_of_process(); *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (is(text, k_before))
      kept.push_back(std::string(k_tunables) + std::string(text.substr(std::string_view(k_before).size())));
    if (!is(text, k_before) && !is(text, k_tunables) && !is(text, k_begun)) kept.emplace_back(text);
  }
  return kept;
}

}  // namespace tutti::actors
