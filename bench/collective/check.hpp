#pragma once
// Checks the result of a call.

#include "bench/collective/cases.hpp"

namespace tutti::bench {

/// Collective over `comm`: one call of that side; true on all ranks when every rank's result is right.
inline bool call_and_check(Case& subject, Side side, MPI_Comm comm) {
  subject.reset();
  const bool called = subject.call(side) == MPI_SUCCESS;
  int right = called && subject.is_right();
  int all_right = right;
  PMPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_MIN, comm);
  return all_right != 0;
}

}  // namespace tutti::bench
