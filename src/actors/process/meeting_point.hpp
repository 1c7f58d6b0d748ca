#pragma once
// Where a container and the processes of its ranks find each other.

#include <vector>

#include "actors/process/launched.hpp"
#include "base/status.hpp"

namespace tutti::actors {

/// Collective over the processes of one container, by the MPI below. In the container: a socket for each of the others,
/// in the order of what it gets from them. Elsewhere: one, to the container. Error: system.
base::Result<std::vector<int>> meet(int leader, int rank, int count);

}  // namespace tutti::actors
