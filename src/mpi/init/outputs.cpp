// Outputs of a run: report, record, learned rules, traces.

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/standard_error.hpp"
#include "mpi/communicator/communicator.hpp"
#include "mpi/native/library_version.hpp"
#include "mpi/native/next_mpi.hpp"
#include "mpi/runtime/runtime.hpp"
#include "select/learned.hpp"

namespace tutti::mpi {

using base::Status;

bool Runtime::is_spawned() {
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  return parent != MPI_COMM_NULL;
}

/// Makes the paths of report and rules absolute before the program changes its folder. Rank 0 checks that the files can
/// be written.
void Runtime::name_outputs(std::vector<std::string>* problems) {
  std::string learned_file(settings_.text("TUTTI_LEARN"));
  if (!learned_file.empty()) learned_file = std::filesystem::absolute(learned_file);
  results_.set_file(learned_file);
  if (world_rank_ != 0) return;
  report_target_ = settings_.text("TUTTI_REPORT");
  if (report_target_ != "summary" && is_spawned()) report_target_ = "memory";  // the parents own the file
  const bool is_file = report_target_ != "summary" && report_target_ != "memory" && report_target_ != "-";
  if (is_reporting_ && is_file) {
    report_target_ = std::filesystem::absolute(report_target_);
    const Status status = base::check_replaceable(report_target_);
    if (!status) problems->push_back("TUTTI_REPORT: " + status.message() + "; there will be no report");
    is_reporting_ = status.is_ok();
  }
  const Status status = learned_file.empty() ? Status{} : select::check_learnable(learned_file);
  if (!status) problems->push_back("TUTTI_LEARN: " + status.message() + "; nothing learned will be kept");
}

void Runtime::remember_all_sites() {
  communicators_.for_each([this](const Communicator* communicator) {
    if (const auto* const sites = communicator->sites()) remember_sites(*sites, communicator->rank());
  });
}

/// Writes all outputs, at the first event that ends the run.
void Runtime::write_outputs(const char* why) {
  const std::lock_guard lock(outputs_mutex_);
  if (process_id_ != getpid() || std::exchange(has_written_, true)) return;
  remember_all_sites();
  write_record(why);
  write_report();
  write_access_log();
  write_learned();
}

void Runtime::write_access_log() {
  if (!options_.traces_accesses) return;
  early_calls_.traces().end_all();
  const std::filesystem::path folder(settings_.text("TUTTI_OVERLAP_FOLDER"));
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  const std::string name = (folder / select::access_log_name(world_rank_)).string();
  if (const Status written = base::replace_file(name, early_calls_.log().to_json(world_rank_, world_size()));
      !written)
    log("TUTTI_OVERLAP_FOLDER: " + written.message());
}

void Runtime::write_learned() {
  if (results_.learned_file().empty()) return;
  if (const auto kept = results_.save())
    log("TUTTI_LEARN: " + *kept);
  else
    base::log("TUTTI_LEARN: " + kept.status().message());
}

int Runtime::node_count() const {
  std::vector<int32_t> nodes = node_of_world_rank_;
  std::sort(nodes.begin(), nodes.end());
  return static_cast<int>(std::unique(nodes.begin(), nodes.end()) - nodes.begin());
}

collective::ReportHeader Runtime::report_header() const {
  return {.mpi = library_title(),
          .mpi_lacks = missing_features(),
          .rank_count = world_size(),
          .node_count = node_count(),
          .elapsed_ns = base::monotonic_ns() - started_ns_,
          .links = links_ ? links_->description() : std::string(),
          .cpus = cpu_place_.description,
          .naps = engine::nap_count() - naps_in_init_,
          .progress = progress_description(),
          .tunes_all = options_.tuning == collective::Options::Tuning::all};
}

/// Facts about this rank that are known at the beginning of the run.
record::RankDescription Runtime::record_description() const {
  record::RankDescription description;
  description.rank = static_cast<uint32_t>(world_rank_);
  description.ranks = static_cast<uint32_t>(world_size());
  description.node = static_cast<uint32_t>(node_of_world_rank_[static_cast<size_t>(world_rank_)]);
  description.nodes = static_cast<uint32_t>(node_count());
  description.machine = static_cast<uint32_t>(machine_of_world_rank_[static_cast<size_t>(world_rank_)]);
  description.mpi = library_title();
  description.began_ns = description.ended_ns = started_ns_;
  description.chain = tools_behind();
  return description;
}

void Runtime::write_record(const char* why) {
  if (!record_.is_wanted()) return;
  const collective::ReportHeader header = report_header();
  record::RankDescription description = record_description();
  description.ended_ns = started_ns_ + header.elapsed_ns;
  description.ended_by = why;
  description.finalize_ns = finalize_ns_;
  if (world_rank_ == 0) description.selection = report_.to_json(header);
  if (const Status status = record_.write(std::move(description)); !status)
    base::log("TUTTI_RECORD: " + status.message());
}

void Runtime::write_report() {
  if (!is_reporting_ || world_rank_ != 0 || report_target_ == "memory") return;
  const collective::ReportHeader header = report_header();
  if (report_target_ == "summary") {
    base::write_to_standard_error(report_.to_summary(header));
    return;
  }
  std::fflush(stdout);  // the report may go to stdout
  if (const Status status = base::replace_file(report_target_, report_.to_json(header)); !status)
    log("TUTTI_REPORT: " + status.message());
}

}  // namespace tutti::mpi
