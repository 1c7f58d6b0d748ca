#pragma once
// Where calls of the program meet the data of collectives that have returned early.

#include "mpi/lifecycle/runtime.hpp"

namespace tutti::mpi {

/// Waits for all of them, and tells error handlers of those that have failed.
void settle_early_calls(Runtime& runtime);

/// The same where there are any: a few loads.
inline void settle_early_calls() {
  Runtime* const runtime = Runtime::get();
  if (runtime != nullptr && runtime->has_early_calls()) settle_early_calls(*runtime);
}

}  // namespace tutti::mpi
