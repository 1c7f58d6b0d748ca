#pragma once
// The nonblocking calls of the cases in bench/collective: how each starts, and how it is completed.

#include <mpi.h>

#include <string>
#include <vector>

#include "bench/collective/cases.hpp"

namespace tutti::bench {

/// Starts a case's collective. Error: the MPI error code.
using Start = int (*)(Buffers& buffers, Side side, MPI_Request* request);

/// One of nonblocking_names().
Start start_of(const std::string& collective);

/// MPI_Wait of that side.
int complete(Side side, MPI_Request* request);
/// MPI_Test of that side. A request that is complete is MPI_REQUEST_NULL afterwards.
int test(Side side, MPI_Request* request);

}  // namespace tutti::bench
