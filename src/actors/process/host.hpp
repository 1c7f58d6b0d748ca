#pragma once
// The life of the container: it loads the program for each of its ranks, and notifies the stand-in processes
// of the ranks' ends.

#include <memory>
#include <string>
#include <vector>

#include "actors/container/job_record.hpp"
#include "actors/container/job_settings.hpp"
#include "actors/container/rank_map.hpp"
#include "actors/process/launched.hpp"

namespace tutti::actors {

/// Libraries that are loaded into every rank.
struct GuestLibraries {
  std::string guest, stub;
};

/// Runs the ranks. `launched[i]` belongs to `sockets[i - 1]`; the first is this process's own rank. Returns
/// the exit status of this process.
int host(const RankMap& rank_map, JobSettings settings, std::unique_ptr<JobRecord> job_record,
         std::vector<Launched> launched, const std::vector<int>& sockets, const GuestLibraries& libraries);

}  // namespace tutti::actors
