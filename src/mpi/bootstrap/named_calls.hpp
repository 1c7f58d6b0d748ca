#pragma once
// All calls of this MPI by name, from the same tables as the entry points (calls.py, synchronising_calls.py).

#include <span>
#include <string_view>

namespace tutti::mpi {

struct NamedCall {
  std::string_view name;  // in lower case, without MPI_ or MPIX_
  /// A program may wait for another process inside the call or by polling it, and Tutti makes no progress meanwhile.
  bool is_undriven;
};

/// Sorted by name.
std::span<const NamedCall> named_calls();

}  // namespace tutti::mpi
