#pragma once
// Internal functions of the MPI's C library that its libraries for Fortran and C++ call.

#include "call_table.h"

namespace tutti::actors {

class Rank;

/// The process's own thread must make the first call.
tutti_internal_calls internal_calls();
/// Registers the data of the rank's library. Call before the rank's program starts.
void take_data(Rank& me, const tutti_stub_datum* data);

}  // namespace tutti::actors
