#include "mpi/api/hints.hpp"

#include <charconv>
#include <mutex>
#include <string_view>

#include "algorithm/catalogue.hpp"
#include "mpi/api/error.hpp"
#include "tutti/tutti.h"

namespace tutti::mpi::api {

namespace {

std::mutex hints_mutex;

Hints& hints() {
  static auto* const all = new Hints;  // outlives the exit handlers
  return *all;
}

int refuse(std::string_view key, std::string_view value, std::string_view expected) {
  return fail(TUTTI_ERR_HINT, "hint '" + std::string(key) + "': '" + std::string(value) + "' is not " +
                                  std::string(expected));
}

int set_calls(std::string_view value) {
  uint64_t calls = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), calls);
  if (error != std::errc() || end != value.data() + value.size() || calls == 0)
    return refuse("calls", value, "a number from 1");
  hints().calls = calls;
  return TUTTI_SUCCESS;
}

/// True if any collective has such an algorithm. The initialisation checks it for its own collective.
bool is_known_algorithm(std::string_view value, std::string* why_not) {
  for (const algorithm::Algorithm* row : algorithm::catalogue()) {
    const auto choice = algorithm::parse_choice(row->collective, value);
    if (choice) return true;
    if (value.starts_with(row->name)) *why_not = choice.status().message();
  }
  return false;
}

int set_algorithm(std::string_view value) {
  std::string why_not = "no collective has an algorithm of that name";
  if (value != "auto" && value != "native" && !is_known_algorithm(value, &why_not))
    return fail(TUTTI_ERR_HINT, "hint 'algorithm': '" + std::string(value) + "': " + why_not);
  hints().algorithm = value;
  return TUTTI_SUCCESS;
}

int set_progress(std::string_view value) {
  auto mode = select::ProgressMode::automatic;
  const bool is_off = value == "off";
  if (!is_off && value != "auto" && !select::from_string(value, &mode))
    return refuse("progress", value, "auto, off, inline, thread_spare or thread_shared");
  hints().is_off = is_off;
  hints().progress = mode;
  return TUTTI_SUCCESS;
}

int set_team(std::string_view value) {
  if (value != "fixed" && value != "may_change")
    return refuse("openmp_threads", value, "fixed or may_change");
  hints().team_may_change = value == "may_change";
  return TUTTI_SUCCESS;
}

}  // namespace

Hints current_hints() {
  const std::lock_guard lock(hints_mutex);
  return hints();
}

void forget_hints() {
  const std::lock_guard lock(hints_mutex);
  hints() = {};
}

int set_hint(const char* key, const char* value) {
  const std::lock_guard lock(hints_mutex);
  const std::string_view name(key);
  if (name == "calls") return set_calls(value);
  if (name == "algorithm") return set_algorithm(value);
  if (name == "progress") return set_progress(value);
  if (name == "openmp_threads") return set_team(value);
  return fail(TUTTI_ERR_HINT,
              "hint '" + std::string(name) + "': there are calls, algorithm, progress and openmp_threads");
}

}  // namespace tutti::mpi::api
