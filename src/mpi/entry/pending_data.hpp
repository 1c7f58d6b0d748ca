#pragma once
// Where calls of the program meet the data of collectives that have returned early.

#include <initializer_list>
#include <span>

#include "mpi/lifecycle/runtime.hpp"

namespace tutti::mpi {

void settle_early_calls(Runtime& runtime, std::span<const void* const> data);

/// Waits for all that a call has to wait for which is given data at these addresses, and tells error handlers of those
/// that have failed. A few loads where there are none.
inline void settle_early_calls(std::initializer_list<const void*> data = {}) {
  Runtime* const runtime = Runtime::get();
  if (runtime != nullptr && (runtime->has_early_calls() || runtime->data_threads().is_watching()))
    settle_early_calls(*runtime, data);
}

/// The same for all, whoever has called them: nobody knows what data is meant, or there will be no more.
void settle_all_early_calls();

}  // namespace tutti::mpi
