#pragma once
// What the dispatchers of one rank share: settings and rules, the observers of calls, and the outputs of the run.

#include <cstdint>
#include <string>
#include <vector>

#include "actors/container/job_settings.hpp"
#include "dispatch/call_site_table.hpp"
#include "dispatch/observer.hpp"
#include "dispatch/report.hpp"
#include "dispatch/run_results.hpp"
#include "dispatch/trial_observer.hpp"
#include "engine/inline_progress.hpp"

namespace tutti::actors {

/// Used by the rank's thread only.
class DispatchServices {
 public:
  /// `job` outlives this.
  DispatchServices(const JobSettings& job, int world_rank);

  const JobSettings& job() const { return job_; }
  /// nullptr: no report of this rank is wanted.
  dispatch::Report* report() { return report_target_.empty() ? nullptr : &report_; }
  const dispatch::Observers& observers() const { return observers_; }
  dispatch::TrialObserver& trial_observer() { return trial_observer_; }
  /// Carries out the agreements of call sites.
  engine::InlineProgress& agreements() { return agreements_; }

  /// The sites of a communicator, in which this is `rank`, are part of the outputs.
  void add(const dispatch::CallSiteTable& sites, int rank) { living_.push_back({&sites, rank}); }
  /// Called before the sites are destroyed.
  void remove(const dispatch::CallSiteTable& sites);

  /// Writes report and learned rules. `mpi`: the native MPI.
  void write_outputs(std::string mpi, int rank_count, int node_count, int container_count);

 private:
  struct Sites {
    const dispatch::CallSiteTable* table;
    int rank;
  };
  void remember(const Sites& sites) { results_.add(*sites.table, report(), sites.rank); }
  void write_report(const dispatch::ReportHeader& header) const;

  const JobSettings& job_;
  const int world_rank_;
  const uint64_t began_ns_;
  std::string report_target_;  // "summary", "-" or an absolute path; empty: there is no report
  dispatch::Report report_;
  dispatch::RunResults results_;
  dispatch::Observers observers_;
  dispatch::TrialObserver trial_observer_;
  engine::InlineProgress agreements_;
  std::vector<Sites> living_;
};

}  // namespace tutti::actors
