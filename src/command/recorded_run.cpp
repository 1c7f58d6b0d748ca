#include "command/recorded_run.hpp"

#include <fmt/format.h>

#include "command/child.hpp"
#include "command/shell.hpp"
#include "record/analysis/report.hpp"

namespace tutti::command {

namespace {

void say_who_was_late(const std::string& folder) {
  const auto analysed = record::analysis::analyse(folder);
  if (!analysed) {
    fmt::print(stderr, "tutti: no record: {}\n", analysed.status().message());
    return;
  }
  const nlohmann::json report = record::analysis::report_json(*analysed, nullptr);
  fmt::print(stderr, "tutti: {}\ntutti: more of it: {}\n", record::analysis::report_line(report),
             shell_line({"tutti", "report", folder}));
}

}  // namespace

int run_recorded(const Words& line, const std::string& folder, bool is_silent) {
  Child child(line);
  child.wait();
  if (!is_silent) say_who_was_late(folder);
  return child.end();
}

}  // namespace tutti::command
