#pragma once
// The record of a run (TUTTI_RECORD): connects the recorder to the MPI and writes this rank's file.

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "base/status.hpp"
#include "collective/recording.hpp"
#include "mpi/clock/run_clock.hpp"
#include "record/rank_record.hpp"

namespace tutti::mpi {

class RunRecord {
 public:
  ~RunRecord();
  /// Collective over `world` if the settings request a record: compares the clocks, and all ranks agree on a number of
  /// the run. `is_spawned`: the folder belongs to the parent processes, and this job's record goes to a folder inside
  /// it. `description`: facts about this rank. Error: nothing is recorded on this rank; on all ranks if the folder has
  /// the record of another run.
  base::Status open(const base::Settings& settings, MPI_Comm world, std::span<const int32_t> machine_of_rank,
                    bool is_spawned, record::RankDescription description);
  /// Collective over `world`, after open(): from now on clocks are compared periodically, if the settings request it.
  /// Error, on all ranks: they are not.
  base::Status keep_clocks(const base::Settings& settings, MPI_Comm world,
                           std::span<const int32_t> machine_of_rank);
  /// Called if the process ends without compare_clocks().
  void leave_clocks(uint64_t within_ns) { clock_.leave(within_ns); }
  /// Collective over `world`, the communicator of keep_clocks(): ends the periodic comparison.
  void stop_clocks(MPI_Comm world, std::span<const int32_t> machine_of_rank);
  /// Collective over `world`, at the end of the run: compares the clocks again.
  void compare_clocks(MPI_Comm world, std::span<const int32_t> machine_of_rank);

  bool is_wanted() const { return is_wanted_; }
  /// nullptr: nothing is recorded here.
  record::RankRecord* rank_record() { return record_.get(); }
  collective::Observer* observer() { return recording_ ? &*recording_ : nullptr; }

  /// Creates the counter of a communicator that Tutti serves. nullptr: it is not recorded.
  record::OperationCounter* counter_of_served(int rank, std::span<const int> world_ranks, uint32_t number,
                                              std::string name);
  /// The counter of any other communicator of this MPI_COMM_WORLD, kept as an attribute of it. Any thread.
  record::OperationCounter* counter_of(MPI_Comm comm);
  /// Creates the counter of a persistent request on the communicator of `counter`, which may be nullptr.
  record::OperationCounter* counter_of_request(record::OperationCounter* counter);

  /// As in record::RankRecord; nothing is done if nothing is recorded.
  void message(record::MessageCall call, const record::OperationCounter* counter, int peer,
               uint64_t arrival_ns, uint64_t inside_ns, const std::string* name = nullptr) {
    if (record_ != nullptr) record_->message(call, counter, peer, arrival_ns, inside_ns, name);
  }
  size_t open(record::MessageCall call, const record::OperationCounter* counter, int peer,
              uint64_t arrival_ns, const std::string* name) {
    return record_ == nullptr ? record::Recorder::k_not_open
                              : record_->open_wait(call, counter, peer, arrival_ns, name);
  }
  void close(size_t open) {
    if (record_ != nullptr) record_->recorder().close(open);
  }

  /// Writes the file. `description`: facts about the job. Error: system.
  base::Status write(record::RankDescription description);

 private:
  /// Adds what is known of the run and the program.
  void describe(record::RankDescription* description) const;

  bool is_wanted_ = false;
  uint64_t run_ = 0;
  int64_t started_unix_s_ = 0;
  RunClock clock_;
  std::unique_ptr<record::RankRecord> record_;
  std::optional<collective::Recording> recording_;
  int keyval_ = MPI_KEYVAL_INVALID;
};

}  // namespace tutti::mpi
