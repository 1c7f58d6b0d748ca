#include "mpi/record/run_record.hpp"

#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "base/file.hpp"
#include "mpi/handle/members.hpp"
#include "mpi/native/agreement.hpp"
#include "record/run_files.hpp"
#include "select/arrivals.hpp"

namespace tutti::mpi {

using base::Status;

namespace {

record::ClockSample sample_of(const GlobalClock& clock) {
  return {.at_ns = clock.compared_ns(),
          .offset_ns = clock.compared().offset_ns,
          .error_ns = clock.compared().error_ns};
}

/// For an intercommunicator, the members of the group whose first member has the lower rank in MPI_COMM_WORLD come
/// first, so that the order is the same on all members.
bool find_members(MPI_Comm comm, std::vector<int>* world_ranks, int* rank) {
  PMPI_Comm_rank(comm, rank);
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  if (!find_world_ranks(comm, PMPI_Comm_group, world_ranks)) return false;
  if (is_inter == 0) return true;
  std::vector<int> others;
  if (!find_world_ranks(comm, PMPI_Comm_remote_group, &others)) return false;
  const bool are_first = world_ranks->front() < others.front();
  if (!are_first) {
    *rank += static_cast<int>(others.size());
    others.insert(others.end(), world_ranks->begin(), world_ranks->end());
    world_ranks->swap(others);
  } else {
    world_ranks->insert(world_ranks->end(), others.begin(), others.end());
  }
  return true;
}

/// The job id of the batch system.
std::string job_of_environment() {
  for (const char* name : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID"})
    if (const char* job = std::getenv(name)) return job;
  return {};
}

std::string program_of_process() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

Status RunRecord::open(const base::Settings& settings, MPI_Comm world,
                       std::span<const int32_t> machine_of_rank, bool is_spawned,
                       record::RankDescription description) {
  folder_ = settings.text("TUTTI_RECORD");
  is_wanted_ = !folder_.empty();
  if (!is_wanted_) return {};
  // Collective: all ranks do this, even if something fails on one of them.
  run_ = common_token(world);
  clock_.push_back(sample_of(GlobalClock(world, machine_of_rank)));
  started_unix_s_ = std::time(nullptr);
  std::error_code error;
  folder_ = std::filesystem::absolute(folder_, error);
  if (is_spawned) folder_ += "/spawned." + std::to_string(run_);
  const bool is_free = description.rank != 0 || !record::has_record(folder_);
  if (!all_agree(world, is_free))
    return Status::invalid_argument("the folder " + folder_ +
                                    " has the record of another run (remove it, or name another folder)");
  std::filesystem::create_directories(folder_, error);
  if (!std::filesystem::is_directory(folder_) || access(folder_.c_str(), W_OK) != 0)
    return Status::system("the folder " + folder_ + " cannot be written", error ? error.value() : errno);
  auto file =
      record::LiveFile::make(std::filesystem::path(folder_) / record::live_file_name(description.rank));
  if (!file) return file.status();
  describe(&description);
  auto recorder =
      record::Recorder::make({.bytes = settings.number("TUTTI_RECORD_BYTES"),
                              .keeps_newest = settings.text("TUTTI_RECORD_OVERFLOW") == "drop_oldest",
                              .every = static_cast<uint32_t>(settings.number("TUTTI_RECORD_SAMPLING"))},
                             std::move(*file), description);
  if (!recorder) return recorder.status();
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval_, nullptr);
  recorder_ = std::move(*recorder);
  recording_.emplace(*recorder_);
  return {};
}

RunRecord::~RunRecord() {
  if (keyval_ != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&keyval_);
}

Status RunRecord::keep_clocks(const base::Settings& settings, MPI_Comm world,
                              std::span<const int32_t> machine_of_rank) {
  constexpr uint64_t k_second_ns = 1'000'000'000;
  const uint64_t every_ns = settings.number("TUTTI_RECORD_CLOCK_SYNC_INTERVAL") * k_second_ns;
  return is_wanted_ && every_ns != 0 ? clock_sync_.start(world, machine_of_rank, every_ns, clock_.front())
                                     : Status();
}

void RunRecord::stop_clocks(MPI_Comm world, std::span<const int32_t> machine_of_rank) {
  if (is_wanted_) clock_sync_.stop(world, machine_of_rank);
}

void RunRecord::compare_clocks(MPI_Comm world, std::span<const int32_t> machine_of_rank) {
  if (!is_wanted_) return;
  clock_.push_back(sample_of(GlobalClock(world, machine_of_rank)));
}

record::OperationCounter* RunRecord::counter_of_served(int rank, std::span<const int> world_ranks,
                                                       uint32_t number, std::string name) {
  if (recorder_ == nullptr) return nullptr;
  return recorder_->communicators().add(static_cast<uint32_t>(rank), world_ranks, number, std::move(name));
}

record::OperationCounter* RunRecord::counter_of(MPI_Comm comm) {
  if (recorder_ == nullptr || comm == MPI_COMM_NULL) return nullptr;
  void* kept = nullptr;
  int is_kept = 0;
  if (PMPI_Comm_get_attr(comm, keyval_, static_cast<void*>(&kept), &is_kept) != MPI_SUCCESS) return nullptr;
  if (is_kept != 0) return static_cast<record::OperationCounter*>(kept);
  std::vector<int> members;
  int rank = 0;
  record::OperationCounter* counter = nullptr;
  if (find_members(comm, &members, &rank))
    counter = recorder_->communicators().add(static_cast<uint32_t>(rank), members,
                                             record::CommunicatorDescription::k_unnumbered, {});
  PMPI_Comm_set_attr(comm, keyval_, counter);
  return counter;
}

record::OperationCounter* RunRecord::counter_of_request(record::OperationCounter* counter) {
  return counter == nullptr ? nullptr : recorder_->communicators().add_stream(*counter);
}

namespace {

uint32_t rank_of(int peer) {
  return peer < 0 ? record::k_no_root : static_cast<uint32_t>(peer);
}

}  // namespace

void RunRecord::message(record::MessageCall call, const record::OperationCounter* counter, int peer,
                        uint64_t arrival_ns, uint64_t inside_ns, const std::string* name) {
  constexpr uint64_t k_least_ns = 5'000;
  if (recorder_ == nullptr || counter == nullptr || inside_ns < k_least_ns) return;
  recorder_->message({.call = call,
                      .counter = counter,
                      .peer = rank_of(peer),
                      .arrival_ns = arrival_ns,
                      .inside_ns = inside_ns,
                      .name = name});
}

size_t RunRecord::open(record::MessageCall call, const record::OperationCounter* counter, int peer,
                       uint64_t arrival_ns, const std::string* name) {
  if (recorder_ == nullptr || counter == nullptr) return record::Recorder::k_not_open;
  return recorder_->open({.call = call,
                          .counter = counter,
                          .peer = rank_of(peer),
                          .arrival_ns = arrival_ns,
                          .inside_ns = 0,
                          .name = name});
}

void RunRecord::describe(record::RankDescription* description) const {
  description->run = run_;
  description->started_unix_s = started_unix_s_;
  description->clock = clock_;
  const std::vector<record::ClockSample> kept = clock_sync_.samples();
  if (kept.size() > 1)
    description->clock.insert(description->clock.begin() + 1, kept.begin() + 1, kept.end());
  description->host = host_name();
  description->program = program_of_process();
  description->job = job_of_environment();
}

Status RunRecord::write(record::RankDescription description) {
  if (recorder_ == nullptr) return {};
  const std::vector<record::PackedRecord> records = recorder_->take(&description);
  describe(&description);
  const auto name = std::filesystem::path(folder_) / record::rank_file_name(description.rank);
  Status written = base::replace_file(name.string(), record::rank_file(description, records));
  if (written) recorder_->remove_file();
  return written;
}

}  // namespace tutti::mpi
