#pragma once
// What the call sites of a process found: for its report, and as learned rules (TUTTI_LEARN).

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/status.hpp"
#include "collective/call_site_table.hpp"
#include "collective/report.hpp"
#include "select/rules.hpp"

namespace tutti::collective {

/// Any thread.
class RunResults {
 public:
  /// `learned_file`: absolute path; empty: no rules are saved. `mpi`: to which the rules apply (select::Rule::mpi).
  void set_file(std::string learned_file, std::string mpi = {}) {
    learned_file_ = std::move(learned_file);
    mpi_ = std::move(mpi);
  }
  const std::string& learned_file() const { return learned_file_; }

  /// Stores the results of a communicator's sites: before the communicator is released, or at the end of the run.
  /// `report`: nullptr if this process writes none. `rank`: in the communicator; its rank 0 saves the rules.
  void add(const CallSiteTable& sites, Report* report, int rank);

  /// Merges the learned rules into the file. The result is one line for the user: what is kept. Error: as
  /// select::save_learned().
  base::Result<std::string> save();

 private:
  std::string learned_file_, mpi_;
  std::mutex mutex_;
  std::vector<select::Rule> learned_;
  std::map<std::string, size_t> not_learned_;  // number of call sites by reason
};

}  // namespace tutti::collective
