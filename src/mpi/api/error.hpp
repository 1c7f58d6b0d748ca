#pragma once
// Return codes of the C API, and the messages for tutti_last_error().

#include <string>

namespace tutti::mpi::api {

/// Stores the message for tutti_last_error() of this thread and returns the code.
int fail(int code, std::string message);

/// Returns the code for an error of the MPI and stores its text. `what`: the operation that failed.
int fail_of_mpi(const char* what, int mpi_code);

}  // namespace tutti::mpi::api
