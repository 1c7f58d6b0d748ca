#pragma once
// The container's life: it loads the program for each of its ranks, and tells the processes that stand for them how
// they fare.

#include <memory>
#include <string>
#include <vector>

#include "actors/container/places.hpp"
#include "actors/process/launched.hpp"

namespace tutti::actors {

/// Libraries that ranks are loaded with.
struct GuestLibraries {
  std::string guest, stub;
};

/// Runs the ranks. `launched[i]` belongs to `sockets[i - 1]`; the first is this process's own. The status with which
/// this process has to end.
int host(const Places& places, std::vector<Launched> launched, const std::vector<int>& sockets,
         const GuestLibraries& libraries);

}  // namespace tutti::actors
