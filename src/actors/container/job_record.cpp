#include "actors/container/job_record.hpp"

#include <algorithm>
#include <ctime>
#include <random>
#include <set>
#include <utility>

#include "actors/container/native_wait.hpp"
#include "mpi/native/library_version.hpp"
#include "record/rank_record.hpp"
#include "record/run_files.hpp"

namespace tutti::actors {

using base::Result;
using base::Status;

namespace {

/// What rank 0 tells all processes.
struct Beginning {
  uint64_t run = 0;
  int64_t unix_s = 0;
  bool is_free = true;  // the folder has no other record
};

Beginning beginning_of(const std::string& folder) {
  std::random_device random;
  return {.run = uint64_t{random()} << 32 | random(),
          .unix_s = std::time(nullptr),
          .is_free = !record::has_record(folder)};
}

}  // namespace

JobRecord::JobRecord(std::string folder, const RankMap& rank_map) : folder_(std::move(folder)) {
  std::set<int> nodes;
  for (int rank = 0; rank < rank_map.rank_count(); ++rank) {
    nodes.insert(rank_map.node_of(rank));
    machine_of_rank_.push_back(rank_map.machine_of(rank));
  }
  for (int rank = 0; rank < rank_map.rank_count(); ++rank)
    node_of_rank_.push_back(
        static_cast<uint32_t>(std::distance(nodes.begin(), nodes.find(rank_map.node_of(rank)))));
  for (const int leader : rank_map.leaders()) machine_of_container_.push_back(rank_map.machine_of(leader));
  common_.ranks = static_cast<uint32_t>(rank_map.rank_count());
  common_.nodes = static_cast<uint32_t>(nodes.size());
  common_.mpi = mpi::library_title();
}

Result<std::unique_ptr<JobRecord>> JobRecord::agree(const base::Settings& settings, const RankMap& rank_map) {
  std::string folder = record::RankRecord::folder_of(settings);
  if (folder.empty()) return std::unique_ptr<JobRecord>();
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Beginning all = rank == 0 ? beginning_of(folder) : Beginning{};
  MPI_Request request = MPI_REQUEST_NULL;
  if (PMPI_Ibcast(&all, sizeof all, MPI_BYTE, 0, MPI_COMM_WORLD, &request) == MPI_SUCCESS)
    wait_asleep(&request);
  if (!all.is_free)
    return Status::invalid_argument("the folder " + folder +
                                    " has the record of another run (remove it, or name another folder)");
  std::unique_ptr<JobRecord> made(new JobRecord(std::move(folder), rank_map));
  made->common_.run = all.run;
  made->common_.started_unix_s = all.unix_s;
  const bool is_container = rank_map.leader_of(rank) == rank;
  PMPI_Comm_split(MPI_COMM_WORLD, is_container ? 0 : MPI_UNDEFINED, rank, &made->containers_);
  return made;
}

Status JobRecord::begin(const base::Settings& settings) {
  clock_.begin(containers_, machine_of_container_);
  const Status kept = clock_.keep(settings, containers_, machine_of_container_);
  common_.clock = clock_.samples();
  return kept;
}

void JobRecord::end() {
  clock_.stop(containers_, machine_of_container_);
  clock_.end(containers_, machine_of_container_);
  common_.clock = clock_.samples();
}

void JobRecord::leave() {
  constexpr uint64_t k_within_ns = 1'000'000'000;
  clock_.leave(k_within_ns);
}

record::RankDescription JobRecord::description_of(int rank) const {
  record::RankDescription description = common_;
  description.rank = static_cast<uint32_t>(rank);
  description.node = node_of_rank_[static_cast<size_t>(rank)];
  description.machine = static_cast<uint32_t>(machine_of_rank_[static_cast<size_t>(rank)]);
  description.program = program_of(rank).file;
  return description;
}

}  // namespace tutti::actors
