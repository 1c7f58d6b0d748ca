#pragma once
// Where calls of the program meet the data of collectives that have returned early.

#include "mpi/lifecycle/runtime.hpp"

namespace tutti::mpi {

/// Waits for them. Two loads where there are none.
inline void settle_early_calls() {
  Runtime* const runtime = Runtime::get();
  if (runtime != nullptr && !runtime->early_calls().is_empty()) runtime->settle_early_calls();
}

}  // namespace tutti::mpi
