#include "command/launch_run.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <ctime>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "command/child.hpp"
#include "command/output.hpp"
#include "command/shell.hpp"
#include "record/analysis/report.hpp"
#include "record/run_files.hpp"

namespace tutti::command {

namespace {

void log_late_ranks(const std::string& folder) {
  const auto analysed = record::analysis::analyse(folder);
  if (!analysed) {
    fmt::print(stderr, "tutti: no record: {}\n", analysed.status().message());
    return;
  }
  const nlohmann::json report = record::analysis::report_json(*analysed, nullptr);
  if (const auto& worst = report.at("verdicts").front(); worst.at("kind") == "unfinished")
    fmt::print(stderr, "tutti: {}\n", base::printable(worst.at("text").get<std::string>()));
  fmt::print(stderr, "tutti: {}\ntutti: more of it: {}\n", record::analysis::report_line(report),
             shell_line({"tutti", "report", folder}));
}

/// Stores how the launcher ended, for the report about processes without a final file.
void note_end(const std::string& folder, const Child& child, uint64_t began_ns) {
  if (!record::has_record(folder)) return;
  record::remove_half_written(folder);
  char host[HOST_NAME_MAX + 1] = "";
  gethostname(host, sizeof host - 1);
  const base::Status status = record::write_launcher_end(folder, {.exit_status = child.exit_status(),
                                                                  .signal = child.ending_signal(),
                                                                  .interruption = child.interruption(),
                                                                  .host = host,
                                                                  .at_ns = base::monotonic_ns(),
                                                                  .ran_ns = base::monotonic_ns() - began_ns,
                                                                  .at_unix_s = std::time(nullptr)});
  if (!status) fmt::print(stderr, "tutti: --record: {}\n", status.message());
}

/// Identity of the file with that name; differs after it was replaced or rewritten. All zero: there is none.
std::array<int64_t, 4> identity_of(const std::string& file) {
  struct stat about {};
  if (stat(file.c_str(), &about) != 0) return {};
  return {static_cast<int64_t>(about.st_ino), about.st_mtim.tv_sec, about.st_mtim.tv_nsec, about.st_size};
}

}  // namespace

std::string unserved_text(const Launch& launch, uint64_t ranks) {
  if (ranks > 0 || !launch.stays_here) return {};
  const std::string reason =
      launch.obstacle.empty()
          ? "LD_PRELOAD was taken from it, it found MPI's functions by dlopen and dlsym, or it "
            "ended before MPI_Init"
          : launch.obstacle;
  return fmt::format("Tutti served nothing: no process has initialised MPI with it ({})", reason);
}

int run_launch(const Launch& launch, const Outputs& outputs, const base::Announcements& ranks) {
  const bool has_file = is_report_file(outputs.report);
  const auto before = has_file ? identity_of(outputs.report) : std::array<int64_t, 4>{};
  const uint64_t began_ns = base::monotonic_ns();
  Child child(launch.line);
  child.wait();
  if (!outputs.record.empty()) note_end(outputs.record, child, began_ns);
  const bool is_silent = outputs.report == "none";
  const std::string unserved =
      ranks.are_possible() && child.interruption() == 0 ? unserved_text(launch, ranks.count()) : "";
  const bool lacks_report = has_file && identity_of(outputs.report) == before;
  if (!is_silent && !unserved.empty())
    fmt::print(stderr, "tutti: {}{}\n", unserved,
               lacks_report ? fmt::format("; there is no report in {}", outputs.report) : "");
  else if (lacks_report)
    fmt::print(stderr, "tutti: no report has been written to {}: rank 0 writes it in MPI_Finalize\n",
               outputs.report);
  if (!outputs.record.empty() && !is_silent) log_late_ranks(outputs.record);
  return child.end();
}

}  // namespace tutti::command
