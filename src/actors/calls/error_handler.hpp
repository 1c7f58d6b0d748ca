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

/// Belongs to its rank. Counted: the handle and the communicators that have it.
struct ErrorHandler {
  ForeignFields foreign;  // first
  int number = 0;
  enum class Kind : uint8_t { returns, function } kind = Kind::returns;
  MPI_Comm_errhandler_function* function = nullptr;
  MPI_Errhandler handle = MPI_ERRHANDLER_NULL;
  int users = 1;
#ifdef MPICH_VERSION
  tutti_errhandler_proxy* cxx = nullptr;  // calls functions of C++
#else
  tutti_language language = TUTTI_C;  // of the function
#endif
};

/// Calls the program's function in its language, with the program's handle of a communicator, or its number in Fortran.
/// It may throw. What the call with the error returns.
int call(const ErrorHandler& handler, MPI_Comm handle, MPI_Fint number, int code);
/// MPI::ERRORS_THROW_EXCEPTIONS of C++, which has one handle here and another one in the program.
ErrorHandler* make_throwing_handler(MPI_Errhandler handle, MPI_Errhandler programs);
bool is_throwing_handler(MPI_Errhandler handle);

/// MPI_ERRORS_RETURN, for all ranks.
ErrorHandler& returning_handler();

}  // namespace tutti::actors
