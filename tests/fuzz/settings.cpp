// The environment: entries are separated by semicolons. Every problem is one line, every value stays within
// its row.

#include "base/settings.hpp"

#include <sstream>

#include "target.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<std::string> entries;
  std::istringstream lines{std::string(fuzz::text_of(data, size))};
  for (std::string line; std::getline(lines, line, ';');) entries.push_back(line);
  std::vector<const char*> environment;
  for (const std::string& entry : entries) environment.push_back(entry.c_str());
  environment.push_back(nullptr);
  std::vector<std::string> problems;
  const auto settings = base::Settings::from_environment(environment.data(), &problems);
  for (const std::string& problem : problems) fuzz::require_message(problem);
  for (const base::Setting& row : base::settings_table()) {
    if (row.kind != base::Setting::Kind::count && row.kind != base::Setting::Kind::bytes) continue;
    const uint64_t value = settings.number(row.name);
    const bool is_off = value == 0 && row.takes_zero;
    fuzz::require(is_off || (row.min <= value && value <= row.max), "a number is within its limits");
  }
  return 0;
}
