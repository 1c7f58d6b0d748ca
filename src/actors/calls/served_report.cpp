#include "actors/calls/served_report.hpp"

#include <filesystem>
#include <utility>
#include <vector>

#include "actors/calls/choices.hpp"
#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/settings.hpp"
#include "select/selector.hpp"

namespace tutti::actors {

std::unique_ptr<ServedReport> ServedReport::of_rank(int world_rank) {
  if (world_rank != 0) return nullptr;
  std::vector<std::string> problems;  // `tutti run` has reported them
  std::string target(base::Settings::of_process(&problems).text("TUTTI_REPORT"));
  if (target.empty() || target == "none" || target == "summary" || target == "memory") return nullptr;
  if (target != "-")
    target = std::filesystem::absolute(target);  // before the program changes its working directory
  return std::make_unique<ServedReport>(std::move(target));
}

ServedReport::ServedReport(std::string file) : file_(std::move(file)), began_ns_(base::monotonic_ns()) {}

void ServedReport::count(const algorithm::Request& request, select::CallInterface kind,
                         const algorithm::Choice& choice) {
  uint64_t bytes = 0;
  const bool is_known = select::bytes_of_interest(request, &bytes);
  std::string name = algorithm::to_string(choice);
  if (choice.algorithm->name == k_two_levels)
    name += leader_policy() == select::LeaderPolicy::first ? "@first" : "@fixed";
  report_
      .line(request.collective, kind, dispatch::Report::size_class_of(bytes, is_known), name,
            "ranks are threads")
      ->count(bytes);
}

base::Status ServedReport::write(std::string mpi, int rank_count, int node_count) const {
  dispatch::ReportHeader header;
  header.mpi = std::move(mpi);
  header.rank_count = rank_count;
  header.node_count = node_count;
  header.elapsed_ns = base::monotonic_ns() - began_ns_;
  return base::replace_file(file_, report_.to_json(header));
}

}  // namespace tutti::actors
