#include "mpi/record/run_record.hpp"

#include <ctime>
#include <filesystem>

#include "mpi/handle/members.hpp"
#include "mpi/native/agreement.hpp"
#include "record/run_files.hpp"

namespace tutti::mpi {

using base::Status;

namespace {

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

std::string program_of_process() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

}  // namespace

Status RunRecord::open(const base::Settings& settings, MPI_Comm world,
                       std::span<const int32_t> machine_of_rank, bool is_spawned,
                       record::RankDescription description) {
  std::string folder = record::RankRecord::folder_of(settings);
  is_wanted_ = !folder.empty();
  if (!is_wanted_) return {};
  // Collective: all ranks do this, even if something fails on one of them.
  run_ = common_token(world);
  clock_.begin(world, machine_of_rank);
  started_unix_s_ = std::time(nullptr);
  if (is_spawned) folder += "/spawned." + std::to_string(run_);
  const bool is_free = description.rank != 0 || !record::has_record(folder);
  if (!all_agree(world, is_free))
    return Status::invalid_argument("the folder " + folder +
                                    " has the record of another run (remove it, or name another folder)");
  describe(&description);
  auto opened = record::RankRecord::open(settings, folder, std::move(description));
  if (!opened) return opened.status();
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval_, nullptr);
  record_ = std::move(*opened);
  recording_.emplace(record_->recorder());
  return {};
}

RunRecord::~RunRecord() {
  if (keyval_ != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&keyval_);
}

Status RunRecord::keep_clocks(const base::Settings& settings, MPI_Comm world,
                              std::span<const int32_t> machine_of_rank) {
  return is_wanted_ ? clock_.keep(settings, world, machine_of_rank) : Status();
}

void RunRecord::stop_clocks(MPI_Comm world, std::span<const int32_t> machine_of_rank) {
  if (is_wanted_) clock_.stop(world, machine_of_rank);
}

void RunRecord::compare_clocks(MPI_Comm world, std::span<const int32_t> machine_of_rank) {
  if (is_wanted_) clock_.end(world, machine_of_rank);
}

record::OperationCounter* RunRecord::counter_of_served(int rank, std::span<const int> world_ranks,
                                                       uint32_t number, std::string name) {
  if (record_ == nullptr) return nullptr;
  return record_->recorder().communicators().add(static_cast<uint32_t>(rank), world_ranks, number,
                                                 std::move(name));
}

record::OperationCounter* RunRecord::counter_of(MPI_Comm comm) {
  if (record_ == nullptr || comm == MPI_COMM_NULL) return nullptr;
  void* kept = nullptr;
  int is_kept = 0;
  if (PMPI_Comm_get_attr(comm, keyval_, static_cast<void*>(&kept), &is_kept) != MPI_SUCCESS) return nullptr;
  if (is_kept != 0) return static_cast<record::OperationCounter*>(kept);
  std::vector<int> members;
  int rank = 0;
  record::OperationCounter* counter = nullptr;
  if (find_members(comm, &members, &rank))
    counter = record_->recorder().communicators().add(static_cast<uint32_t>(rank), members,
                                                      record::CommunicatorDescription::k_unnumbered, {});
  PMPI_Comm_set_attr(comm, keyval_, counter);
  return counter;
}

record::OperationCounter* RunRecord::counter_of_request(record::OperationCounter* counter) {
  return counter == nullptr ? nullptr : record_->recorder().communicators().add_stream(*counter);
}

void RunRecord::describe(record::RankDescription* description) const {
  description->run = run_;
  description->started_unix_s = started_unix_s_;
  description->clock = clock_.samples();
  description->program = program_of_process();
}

Status RunRecord::write(record::RankDescription description) {
  if (record_ == nullptr) return {};
  describe(&description);
  return record_->write(std::move(description));
}

}  // namespace tutti::mpi
