// tutti access FOLDER: results of a run with TUTTI_OVERLAP=trace.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/file.hpp"
#include "base/text.hpp"
#include "command/access_table.hpp"
#include "command/command.hpp"

namespace tutti::command {

namespace {

using base::Result;
using base::Status;
using select::ReadAccessLog;

struct AccessOptions {
  std::string folder, picture;
};

Result<ReadAccessLog> read_log(const std::string& file_name) {
  const auto text = base::read_file(file_name);
  if (!text) return text.status();
  auto log = select::parse_access_log(*text);
  if (!log) return Status::invalid_argument(base::in_quotes(file_name) + ' ' + log.status().message());
  return log;
}

/// Reads the logs of the ranks that have left one.
Result<std::vector<ReadAccessLog>> read_logs(const std::string& folder) {
  std::vector<ReadAccessLog> logs;
  int rank_count = 1;
  for (int rank = 0; rank < rank_count; ++rank) {
    const std::string name = (std::filesystem::path(folder) / select::access_log_name(rank)).string();
    std::error_code none;
    if (rank > 0 && !std::filesystem::exists(name, none)) continue;
    auto log = read_log(name);
    if (!log) return log.status();
    rank_count = std::max(rank_count, log->rank_count);
    logs.push_back(std::move(*log));
  }
  return logs;
}

int run(const AccessOptions& options) {
  const auto logs = read_logs(options.folder);
  if (!logs) return fail(logs.status().message());
  const std::vector<AccessSite> sites = access_sites(*logs);
  fmt::print("{} of {} left a trace\n", base::counted(logs->size(), "rank"), logs->front().rank_count);
  for (const AccessSite& site : sites) fmt::print("\n{}", access_table(site));
  if (sites.empty())
    fmt::print("no call was traced (TUTTI_VERBOSE=1 says why; TUTTI_OVERLAP_BYTES is the least size)\n");
  if (logs->front().left_out > 0)
    fmt::print("\n{} of rank 0 not recorded\n", base::counted(logs->front().left_out, "later call"));
  if (options.picture.empty()) return k_done;
  const Status written = base::replace_file(options.picture, access_picture(sites));
  return written ? k_done : fail(written.message());
}

}  // namespace

Action add_access(CLI::App& app) {
  auto options = std::make_shared<AccessOptions>();
  app.add_option("folder", options->folder, "TUTTI_OVERLAP_FOLDER of a run with TUTTI_OVERLAP=trace")
      ->required();
  app.add_option("--svg", options->picture, "also draw it into this file");
  return [options] { return run(*options); };
}

}  // namespace tutti::command
