#pragma once
// What the dispatchers of one rank share: settings and rules, the observers of calls, and the outputs of the run.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/container/job_record.hpp"
#include "actors/container/job_settings.hpp"
#include "collective/call_site_table.hpp"
#include "collective/observer.hpp"
#include "collective/recording.hpp"
#include "collective/report.hpp"
#include "collective/run_results.hpp"
#include "collective/trial_observer.hpp"
#include "engine/inline_progress.hpp"
#include "record/rank_record.hpp"
#include "record/tests_in_loop.hpp"

namespace tutti::actors {

class Communicator;

/// Used by the rank's thread only.
class DispatchServices {
 public:
  /// `job` outlives this.
  DispatchServices(const JobSettings& job, int world_rank);

  const JobSettings& job() const { return job_; }
  /// Begins the rank's record, before its first call. Error: the rank is not recorded.
  base::Status open_record(const JobRecord& job_record);
  /// nullptr: the rank is not recorded.
  record::RankRecord* record() { return record_.get(); }
  record::TestsInLoop& tests_in_loop() { return tests_in_loop_; }
  /// Counter of the communicator's operations for the record. nullptr: the communicator is not recorded.
  record::OperationCounter* counter_of(Communicator& on);
  /// The same for a new persistent request on the communicator.
  record::OperationCounter* new_counter_of_request(Communicator& on);
  /// The program has entered MPI_Finalize: later calls are not the program's.
  void enter_finalize();

  /// nullptr: neither report nor record of this rank is wanted.
  collective::Report* report() { return wants_report() || record_ != nullptr ? &report_ : nullptr; }
  const collective::Observers& observers() const { return finalize_ns_ == 0 ? observers_ : no_observers_; }
  collective::TrialObserver& trial_observer() { return trial_observer_; }
  /// Carries out the agreements of call sites.
  engine::InlineProgress& agreements() { return agreements_; }

  /// The sites of a communicator, in which this is `rank`, are part of the outputs.
  void add(const collective::CallSiteTable& sites, int rank) { living_.push_back({&sites, rank}); }
  /// Called before the sites are destroyed.
  void remove(const collective::CallSiteTable& sites);

  /// Writes report, record and learned rules. `mpi`: the native MPI. `job_record`: nullptr if the job is not recorded.
  void write_outputs(std::string mpi, int rank_count, int node_count, int container_count,
                     const JobRecord* job_record);

 private:
  struct Sites {
    const collective::CallSiteTable* table;
    int rank;
  };
  bool wants_report() const { return !report_target_.empty(); }
  void remember(const Sites& sites) { results_.add(*sites.table, report(), sites.rank); }
  void write_report(const collective::ReportHeader& header) const;
  void write_record(record::RankDescription description, const collective::ReportHeader& header);

  const JobSettings& job_;
  const int world_rank_;
  const uint64_t began_ns_;
  std::string report_target_;  // "summary", "-" or an absolute path; empty: there is no report
  collective::Report report_;
  collective::RunResults results_;
  std::unique_ptr<record::RankRecord> record_;
  std::optional<collective::Recording> recording_;
  record::TestsInLoop tests_in_loop_;
  uint64_t finalize_ns_ = 0;  // 0: the program has not entered MPI_Finalize
  collective::Observers observers_;
  const collective::Observers no_observers_;
  collective::TrialObserver trial_observer_;
  engine::InlineProgress agreements_;
  std::vector<Sites> living_;
};

}  // namespace tutti::actors
