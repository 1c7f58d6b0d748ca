#pragma once
// Between tutti_init() and tutti_finalize().

namespace tutti::mpi::api {

/// tutti_init() has been called, and MPI has not been finalised.
bool is_initialised();
/// MPI is about to be finalised.
void shut_down();

}  // namespace tutti::mpi::api
