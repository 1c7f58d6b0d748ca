#pragma once
// The report of ranks as threads (TUTTI_REPORT=FILE): the collectives of rank 0 with the algorithms that
// served them.

#include <cstdint>
#include <memory>
#include <string>

#include "algorithm/algorithm.hpp"
#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "dispatch/report.hpp"
#include "select/candidate.hpp"

namespace tutti::actors {

/// Used by the rank's thread only.
class ServedReport {
 public:
  /// nullptr: not rank 0, or the setting names no file.
  static std::unique_ptr<ServedReport> of_rank(int world_rank);
  explicit ServedReport(std::string file);

  /// Counts a started collective. An algorithm with leaders is reported with its leader policy:
  /// "hierarchical@first".
  void count(const algorithm::Request& request, select::CallInterface kind, const algorithm::Choice& choice);
  /// `mpi`: the native MPI. Error: system.
  base::Status write(std::string mpi, int rank_count, int node_count) const;

 private:
  const std::string file_;
  const uint64_t began_ns_;
  dispatch::Report report_;
};

}  // namespace tutti::actors
