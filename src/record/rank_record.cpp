#include "record/rank_record.hpp"

#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "record/live_file.hpp"

namespace tutti::record {

using base::Status;

namespace {

/// The job id of the batch system.
std::string job_of_environment() {
  for (const char* name : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID"})
    if (const char* job = std::getenv(name)) return job;
  return {};
}

void add_host_and_job(RankDescription* description) {
  char host[HOST_NAME_MAX + 1] = "";
  gethostname(host, sizeof host - 1);
  description->host = host;
  description->job = job_of_environment();
}

uint32_t rank_of(int peer) {
  return peer < 0 ? k_no_root : static_cast<uint32_t>(peer);
}

}  // namespace

std::string RankRecord::folder_of(const base::Settings& settings) {
  const std::string folder(settings.text("TUTTI_RECORD"));
  std::error_code error;
  return folder.empty() ? folder : std::filesystem::absolute(folder, error).string();
}

base::Result<std::unique_ptr<RankRecord>> RankRecord::open(const base::Settings& settings,
                                                           const std::string& folder,
                                                           RankDescription description,
                                                           Modules::Program program) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder) || access(folder.c_str(), W_OK) != 0)
    return Status::system("the folder " + folder + " cannot be written", error ? error.value() : errno);
  auto file = LiveFile::make(std::filesystem::path(folder) / live_file_name(description.rank));
  if (!file) return file.status();
  add_host_and_job(&description);
  auto recorder = Recorder::make({.bytes = settings.number("TUTTI_RECORD_BYTES"),
                                  .keeps_newest = settings.text("TUTTI_RECORD_OVERFLOW") == "drop_oldest",
                                  .every = static_cast<uint32_t>(settings.number("TUTTI_RECORD_SAMPLING")),
                                  .program = std::move(program)},
                                 std::move(*file), description);
  if (!recorder) return recorder.status();
  return std::unique_ptr<RankRecord>(new RankRecord(folder, std::move(*recorder)));
}

void RankRecord::message(MessageCall call, const OperationCounter* counter, int peer, uint64_t arrival_ns,
                         uint64_t inside_ns, const std::string* name) {
  constexpr uint64_t k_least_ns = 5'000;
  if (counter == nullptr || inside_ns < k_least_ns) return;
  recorder_->message({.call = call,
                      .counter = counter,
                      .peer = rank_of(peer),
                      .arrival_ns = arrival_ns,
                      .inside_ns = inside_ns,
                      .name = name});
}

size_t RankRecord::open_wait(MessageCall call, const OperationCounter* counter, int peer, uint64_t arrival_ns,
                             const std::string* name) {
  if (counter == nullptr) return Recorder::k_not_open;
  return recorder_->open({.call = call,
                          .counter = counter,
                          .peer = rank_of(peer),
                          .arrival_ns = arrival_ns,
                          .inside_ns = 0,
                          .name = name});
}

Status RankRecord::write(RankDescription description) {
  const std::vector<PackedRecord> records = recorder_->take(&description);
  add_host_and_job(&description);
  const auto name = std::filesystem::path(folder_) / rank_file_name(description.rank);
  Status written = base::replace_file(name.string(), rank_file(description, records));
  if (written) recorder_->remove_file();
  return written;
}

}  // namespace tutti::record
