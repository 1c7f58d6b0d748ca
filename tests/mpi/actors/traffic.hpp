#pragma once
// What each rank does, and checks.

#include <atomic>

#include "actors/calls/rank.hpp"

namespace tutti::test {

/// Of all ranks of this process.
extern std::atomic<int> failures;

/// On a thread of its own, for each rank alike.
void run_traffic(actors::Rank& me);

}  // namespace tutti::test
