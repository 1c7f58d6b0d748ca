#include "mpi/entry/pending_data.hpp"

#include <atomic>

#include "mpi/call/error_delivery.hpp"

namespace tutti::mpi {

namespace {

std::atomic<bool> runs_functions_in_waits{false};

void tell_of_failures(Runtime& runtime) {
  for (const Failure& failure : runtime.early_calls().failures().take()) ErrorDelivery::raise(failure);
}

}  // namespace

void settle_what_is_early(std::span<const void* const> data) {
  Runtime* const runtime = Runtime::get();
  if (runtime == nullptr) return;
  if (runtime->early_calls().multithreaded_use().is_watching())
    runtime->early_calls().multithreaded_use().note();
  if (runtime->early_calls().is_empty()) return;
  runtime->early_calls().await(data);
  tell_of_failures(*runtime);
}

void await_early_calls_for_arguments(Runtime& runtime, std::span<const void* const> arguments) {
  runtime.early_calls().await(arguments);
  tell_of_failures(runtime);
}

void expect_functions_in_waits() {
  runs_functions_in_waits.store(true, std::memory_order_relaxed);
}

void settle_for_functions_in_waits() {
  if (runs_functions_in_waits.load(std::memory_order_relaxed)) settle_for_arguments();
}

void settle_all_early_calls() {
  Runtime* const runtime = Runtime::get();
  if (runtime == nullptr) return;
  if (runtime->early_calls().multithreaded_use().is_watching())
    runtime->early_calls().multithreaded_use().note();
  if (runtime->early_calls().is_empty()) return;
  runtime->early_calls().await();
  tell_of_failures(*runtime);
}

}  // namespace tutti::mpi
