#pragma once
// Error handlers that programs set on communicators.

#include <mpi.h>

#include <cstdint>

#include "actors/calls/foreign_fields.hpp"

namespace tutti::actors {

class Rank;

/// Belongs to its rank. Counted: the handle and the communicators that have it.
struct ErrorHandler {
  ForeignFields foreign;  // first
  int number = 0;
  enum class Kind : uint8_t { returns, function } kind = Kind::returns;
  MPI_Comm_errhandler_function* function = nullptr;
  MPI_Errhandler handle = MPI_ERRHANDLER_NULL;
  int users = 1;
};

/// One use less; the last one ends it.
void release(Rank& me, ErrorHandler* handler);
/// MPI_ERRORS_RETURN, for all ranks.
ErrorHandler& returning_handler();

}  // namespace tutti::actors
