#pragma once
// What the MPI's libraries for Fortran and C++ ask of its C library beside MPI.

#include "call_table.h"

namespace tutti::actors {

class Rank;

/// Called by the process's own thread first.
tutti_internal_calls internal_calls();
/// The rank's library has this data. Before the rank's program begins.
void take_data(Rank& me, const tutti_stub_datum* data);

}  // namespace tutti::actors
