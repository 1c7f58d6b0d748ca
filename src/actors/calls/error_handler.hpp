#pragma once
// Error handlers that programs set on communicators.

#include <mpi.h>

#include <cstdint>

#include "actors/calls/foreign_fields.hpp"
#ifdef MPICH_VERSION
#include "actors/stub/mpich_internals.h"
#else
#include "actors/stub/openmpi_internals.h"
#endif

namespace tutti::actors {

/// Belongs to its rank. Reference-counted: by the handle and by the communicators that use it.
struct ErrorHandler {
  ForeignFields foreign;  // must be the first member
  int number = 0;
  enum class Kind : uint8_t { returns, function } kind = Kind::returns;
  MPI_Comm_errhandler_function* function = nullptr;
  MPI_Errhandler handle = MPI_ERRHANDLER_NULL;
  int users = 1;
#ifdef MPICH_VERSION
  tutti_errhandler_proxy* cxx = nullptr;  // calls C++ functions
#else
  tutti_language language = TUTTI_C;  // of the function
#endif
};

/// Calls the program's function in its language, with the program's handle of a communicator, or its Fortran
/// number. The function may throw. Returns the result of the failed MPI call.
int call(const ErrorHandler& handler, MPI_Comm handle, MPI_Fint number, int code);
/// MPI::ERRORS_THROW_EXCEPTIONS of C++, whose handle in the container differs from the program's.
ErrorHandler* make_throwing_handler(MPI_Errhandler handle, MPI_Errhandler programs);
bool is_throwing_handler(MPI_Errhandler handle);

/// The handler of MPI_ERRORS_RETURN, shared by all ranks.
ErrorHandler& returning_handler();

}  // namespace tutti::actors
