#pragma once
// The work of each rank, and its checks.

#include <atomic>

#include "actors/calls/rank.hpp"

namespace tutti::test {

/// Failures of all ranks of this process.
extern std::atomic<int> failures;

/// Runs on a separate thread for each rank.
void run_traffic(actors::Rank& me);

}  // namespace tutti::test
