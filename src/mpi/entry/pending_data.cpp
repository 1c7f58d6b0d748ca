#include "mpi/entry/pending_data.hpp"

#include "mpi/request/error_delivery.hpp"

namespace tutti::mpi {

void settle_early_calls(Runtime& runtime) {
  runtime.await_early_calls();
  for (const Failure& failure : runtime.late_failures().take()) ErrorDelivery::raise(failure);
}

}  // namespace tutti::mpi
