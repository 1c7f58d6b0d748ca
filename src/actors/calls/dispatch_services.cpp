#include "actors/calls/dispatch_services.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "actors/calls/communicator.hpp"
#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/standard_error.hpp"
#include "record/run_files.hpp"

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
  if (wants_report()) observers_.add(report_);
}

base::Status DispatchServices::open_record(const JobRecord& job_record) {
  record::RankDescription description = job_record.description_of(world_rank_);
  description.began_ns = description.ended_ns = began_ns_;
  auto opened = record::RankRecord::open(job_.settings, job_record.folder(), std::move(description),
                                         job_record.program_of(world_rank_));
  if (!opened) return opened.status();
  record_ = std::move(*opened);
  recording_.emplace(record_->recorder());
  observers_.add(*recording_);
  return {};
}

/// The communicator's context is the same on all its members, and no other has it.
record::OperationCounter* DispatchServices::counter_of(Communicator& on) {
  if (record_ == nullptr) return nullptr;
  if (!on.counter) {
    constexpr uint64_t k_spread = 0x9e3779b97f4a7c15;
    const auto number = static_cast<uint32_t>(on.context(Traffic::point_to_point) * k_spread >> 33);
    on.counter = record_->recorder().communicators().add(static_cast<uint32_t>(on.rank()), on.members(),
                                                         number, on.name);
  }
  return *on.counter;
}

record::OperationCounter* DispatchServices::new_counter_of_request(Communicator& on) {
  record::OperationCounter* const counter = counter_of(on);
  return counter == nullptr ? nullptr : record_->recorder().communicators().add_stream(*counter);
}

void DispatchServices::enter_finalize() {
  finalize_ns_ = base::monotonic_ns();
}

void DispatchServices::remove(const collective::CallSiteTable& sites) {
  const auto at = std::ranges::find(living_, &sites, &Sites::table);
  remember(*at);
  living_.erase(at);
}

void DispatchServices::write_report(const collective::ReportHeader& header) const {
  if (report_target_ == "summary")
    base::write_to_standard_error(report_.to_summary(header));
  else
    complain("TUTTI_REPORT", base::replace_file(report_target_, report_.to_json(header)));
}

void DispatchServices::write_record(record::RankDescription description,
                                    const collective::ReportHeader& header) {
  description.began_ns = began_ns_;
  description.ended_ns = began_ns_ + header.elapsed_ns;
  description.ended_by = record::k_finalize;
  description.finalize_ns = finalize_ns_;
  if (world_rank_ == 0) description.selection = report_.to_json(header);
  complain("TUTTI_RECORD", record_->write(std::move(description)));
}

void DispatchServices::write_outputs(std::string mpi, int rank_count, int node_count, int container_count,
                                     const JobRecord* job_record) {
  for (const Sites& sites : living_) remember(sites);
  const collective::ReportHeader header{
      .mpi = std::move(mpi),
      .rank_count = rank_count,
      .node_count = node_count,
      .elapsed_ns = base::monotonic_ns() - began_ns_,
      .progress = "inside MPI calls; ranks are threads, processes: " + std::to_string(container_count),
      .tunes_all = job_.options.tuning == collective::Options::Tuning::all};
  if (record_ != nullptr) write_record(job_record->description_of(world_rank_), header);
  if (wants_report()) write_report(header);
  if (results_.learned_file().empty()) return;
  const auto kept = results_.save();
  complain("TUTTI_LEARN", kept.status());
  if (kept && world_rank_ == 0) base::log("TUTTI_LEARN: " + *kept);
}

}  // namespace tutti::actors
