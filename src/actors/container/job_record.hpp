#pragma once
// What the records of a job's ranks have in common (TUTTI_RECORD), if the ranks are threads.

#include <mpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/container/rank_map.hpp"
#include "base/settings.hpp"
#include "base/status.hpp"
#include "mpi/clock/run_clock.hpp"
#include "record/modules.hpp"
#include "record/rank_file.hpp"

namespace tutti::actors {

/// Used by the container's first thread, except as noted.
class JobRecord {
 public:
  /// Collective over MPI_COMM_WORLD of the native MPI, if the settings request a record. nullptr: they do not. Error,
  /// on all ranks: invalid_argument, the folder has the record of another run.
  static base::Result<std::unique_ptr<JobRecord>> agree(const base::Settings& settings,
                                                        const RankMap& rank_map);

  /// Collective over the containers: compares the clocks of the machines, periodically from now on if the settings
  /// request it. Error: the latter is not possible.
  base::Status begin(const base::Settings& settings);
  /// The program of a rank, of which the dynamic linker lists a copy as `listed`. Called before the ranks run.
  void set_program(int rank, const std::string& listed, const std::string& file) {
    programs_[rank] = {listed, file};
  }
  /// Collective over the containers, when all ranks of the job have entered MPI_Finalize: compares the clocks again.
  void end();
  /// Called if the process ends without end(): a pending comparison is abandoned.
  void leave();

  /// Absolute path. Any thread.
  const std::string& folder() const { return folder_; }
  /// What is known of the run and the rank. Any thread, but not during end().
  record::RankDescription description_of(int rank) const;
  /// Any thread.
  const record::Modules::Program& program_of(int rank) const { return programs_.at(rank); }

 private:
  explicit JobRecord(std::string folder, const RankMap& rank_map);

  const std::string folder_;
  record::RankDescription common_;
  std::vector<uint32_t> node_of_rank_;
  std::vector<int32_t> machine_of_rank_, machine_of_container_;
  std::map<int, record::Modules::Program> programs_;
  MPI_Comm containers_ = MPI_COMM_NULL;  // MPI_COMM_NULL: this process is a stand-in
  mpi::RunClock clock_;
};

}  // namespace tutti::actors
