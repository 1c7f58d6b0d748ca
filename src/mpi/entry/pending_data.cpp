#include "mpi/entry/pending_data.hpp"

#include "mpi/request/error_delivery.hpp"

namespace tutti::mpi {

namespace {

void tell_of_failures(Runtime& runtime) {
  for (const Failure& failure : runtime.late_failures().take()) ErrorDelivery::raise(failure);
}

}  // namespace

void settle_early_calls(Runtime& runtime, std::span<const void* const> data) {
  if (runtime.data_threads().is_watching()) runtime.data_threads().note();
  if (!runtime.has_early_calls()) return;
  runtime.await_early_calls(data);
  tell_of_failures(runtime);
}

void settle_all_early_calls() {
  Runtime* const runtime = Runtime::get();
  if (runtime == nullptr) return;
  if (runtime->data_threads().is_watching()) runtime->data_threads().note();
  if (!runtime->has_early_calls()) return;
  runtime->await_early_calls();
  tell_of_failures(*runtime);
}

}  // namespace tutti::mpi
