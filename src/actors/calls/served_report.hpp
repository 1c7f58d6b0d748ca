#pragma once
// The report of ranks that are threads (TUTTI_REPORT=FILE): the collectives of rank 0 by what served them.

#include <cstdint>
#include <memory>
#include <string>

#include "algorithm/algorithm.hpp"
#include "algorithm/request.hpp"
#include "base/status.hpp"
#include "dispatch/report.hpp"
#include "select/candidate.hpp"

namespace tutti::actors {

/// Used by the rank's thread.
class ServedReport {
 public:
  /// nullptr: another rank than the first, or the setting names no file.
  static std::unique_ptr<ServedReport> of_rank(int world_rank);
  explicit ServedReport(std::string file);

  /// A collective begins. The choice is named with its leaders where it has any: "hierarchical@first".
  void count(const algorithm::Request& request, select::CallKind kind, const algorithm::Choice& choice);
  /// `mpi`: the MPI below. Error: system.
  base::Status write(std::string mpi, int rank_count, int node_count) const;

 private:
  const std::string file_;
  const uint64_t began_ns_;
  dispatch::Report report_;
};

}  // namespace tutti::actors
