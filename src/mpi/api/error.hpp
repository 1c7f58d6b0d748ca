#pragma once
// What functions of the C API return, and what they remember to say more.

#include <string>

namespace tutti::mpi::api {

/// Remembers the message for tutti_last_error() of this thread, and returns the code.
int fail(int code, std::string message);

/// The code for an error of the MPI, whose text is remembered. `what` was being done.
int fail_of_mpi(const char* what, int mpi_code);

}  // namespace tutti::mpi::api
