#pragma once
// The record of a run (TUTTI_RECORD): what the recorder is told of this MPI, and the file that it leaves.

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "base/status.hpp"
#include "dispatch/recording.hpp"
#include "mpi/lifecycle/clock_keeper.hpp"
#include "mpi/lifecycle/machine_clock.hpp"
#include "record/recorder.hpp"

namespace tutti::mpi {

class RunRecord {
 public:
  ~RunRecord();
  /// Collective over `world` where the settings want a record: compares clocks, and all ranks agree on a number of the
  /// run. `is_spawned`: the folder is the parents', and these have one inside it. `description`: what is known of this
  /// rank. Error, of this rank alone: nothing is recorded here; on all where the folder has the record of another run.
  base::Status open(const base::Settings& settings, MPI_Comm world, std::span<const int32_t> machine_of_rank,
                    bool is_spawned, record::RankDescription description);
  /// Collective over `world`, after open(): from now on clocks are compared every so often, where the settings want
  /// that. Error, the same on all ranks: they are not.
  base::Status keep_clocks(const base::Settings& settings, MPI_Comm world,
                           std::span<const int32_t> machine_of_rank);
  /// Where the process ends without compare_clocks().
  void leave_clocks(uint64_t within_ns) { clock_keeper_.abandon(within_ns); }
  /// Collective over `world` where keep_clocks() is: compares clocks no more.
  void stop_clocks(MPI_Comm world, std::span<const int32_t> machine_of_rank);
  /// Collective over `world`, at the end: compares clocks again.
  void compare_clocks(MPI_Comm world, std::span<const int32_t> machine_of_rank);

  bool is_wanted() const { return is_wanted_; }
  /// nullptr: nothing is recorded here.
  dispatch::Observer* observer() { return recording_ ? &*recording_ : nullptr; }

  /// Of a communicator that Tutti serves. nullptr: it is not recorded.
  record::Track* track_of_served(int rank, std::span<const int> world_ranks, uint32_t number,
                                 std::string name);
  /// Of any other communicator of this MPI_COMM_WORLD. Takes the MPI's attribute of it: any thread.
  record::Track* track_of(MPI_Comm comm);
  /// Of one more persistent request on the communicator of `track`, which may be nullptr.
  record::Track* track_of_request(record::Track* track);

  /// The program has waited for a message of `peer`, a rank of `track`'s communicator or none that is known. Short
  /// waits are left out.
  void message(record::MessageCall call, const record::Track* track, int peer, uint64_t arrival_ns,
               uint64_t inside_ns, const std::string* name = nullptr);
  /// The program begins to wait so in the call of that name. Result: for close().
  size_t open(record::MessageCall call, const record::Track* track, int peer, uint64_t arrival_ns,
              const std::string* name);
  void close(size_t open) {
    if (recorder_ != nullptr) recorder_->close(open);
  }

  /// Writes the file. `description`: what it says of the job. Error: system.
  base::Status write(record::RankDescription description);

 private:
  /// What it knows of the run and of the process.
  void describe(record::RankDescription* description) const;

  bool is_wanted_ = false;
  std::string folder_;  // an absolute name
  uint64_t run_ = 0;
  int64_t started_unix_s_ = 0;
  std::vector<record::ClockSample> clock_;  // when the run begins and ends
  ClockKeeper clock_keeper_;                // meanwhile
  std::unique_ptr<record::Recorder> recorder_;
  std::optional<dispatch::Recording> recording_;
  int keyval_ = MPI_KEYVAL_INVALID;
};

}  // namespace tutti::mpi
