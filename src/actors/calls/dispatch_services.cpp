#include "actors/calls/dispatch_services.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/standard_error.hpp"

namespace tutti::actors {

namespace {

/// Absolute, because the program may change its working directory.
std::string absolute(std::string_view file) {
  return file.empty() ? std::string() : std::filesystem::absolute(file).string();
}

std::string report_target(const base::Settings& settings, int world_rank) {
  const std::string_view target = settings.text("TUTTI_REPORT");
  if (world_rank != 0 || target == "none" || target == "memory") return {};
  return target == "summary" || target == "-" ? std::string(target) : absolute(target);
}

void complain(const char* setting, const base::Status& status) {
  if (!status) base::log(std::string(setting) + ": " + status.message());
}

}  // namespace

DispatchServices::DispatchServices(const JobSettings& job, int world_rank)
    : job_(job),
      world_rank_(world_rank),
      began_ns_(base::monotonic_ns()),
      report_target_(report_target(job.settings, world_rank)) {
  results_.set_file(absolute(job.settings.text("TUTTI_LEARN")), std::string(select::k_ranks_are_threads));
  if (report() != nullptr) observers_.add(report_);
}

void DispatchServices::remove(const dispatch::CallSiteTable& sites) {
  const auto at = std::ranges::find(living_, &sites, &Sites::table);
  remember(*at);
  living_.erase(at);
}

void DispatchServices::write_report(const dispatch::ReportHeader& header) const {
  if (report_target_ == "summary")
    base::write_to_standard_error(report_.to_summary(header));
  else
    complain("TUTTI_REPORT", base::replace_file(report_target_, report_.to_json(header)));
}

void DispatchServices::write_outputs(std::string mpi, int rank_count, int node_count, int container_count) {
  for (const Sites& sites : living_) remember(sites);
  if (report() != nullptr)
    write_report(
        {.mpi = std::move(mpi),
         .rank_count = rank_count,
         .node_count = node_count,
         .elapsed_ns = base::monotonic_ns() - began_ns_,
         .progress = "inside MPI calls; ranks are threads, processes: " + std::to_string(container_count),
         .tunes_all = job_.options.tuning == dispatch::Options::Tuning::all});
  if (results_.learned_file().empty()) return;
  const auto kept = results_.save();
  complain("TUTTI_LEARN", kept.status());
  if (kept && world_rank_ == 0) base::log("TUTTI_LEARN: " + *kept);
}

}  // namespace tutti::actors
