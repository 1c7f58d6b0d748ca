#pragma once
// State of the C API between tutti_init() and tutti_finalize().

namespace tutti::mpi::api {

/// True if tutti_init() has been called, and MPI has not been finalised.
bool is_initialised();
/// Called when MPI is about to be finalised.
void shut_down();

}  // namespace tutti::mpi::api
