#include "mpi/api/error.hpp"

#include <mpi.h>

#include <array>
#include <utility>

#include "base/per_thread.hpp"
#include "tutti/tutti.h"

namespace tutti::mpi::api {

namespace {

/// The latest error of this thread.
struct LastError {
  std::string text;
};

constexpr std::array k_meanings = {
    "success",
    "not initialised: tutti_init() comes after MPI_Init, and everything else before tutti_finalize()",
    "a bad argument",
    "not a communicator",
    "not a request: null, freed, or never made",
    "the request is active: it has been started and not yet been waited for",
    "the request is inactive: it has not been started",
    "no such hint or value",
    "out of memory",
    "the MPI returned an error",
};

/// Converts an error class of the MPI to a code of the C API.
int code_of(int error_class) {
  switch (error_class) {
    case MPI_ERR_COMM:
      return TUTTI_ERR_COMM;
    case MPI_ERR_BUFFER:
    case MPI_ERR_COUNT:
    case MPI_ERR_TYPE:
    case MPI_ERR_ROOT:
    case MPI_ERR_OP:
    case MPI_ERR_ARG:
      return TUTTI_ERR_ARGUMENT;
    case MPI_ERR_NO_MEM:
      return TUTTI_ERR_MEMORY;
    default:
      return TUTTI_ERR_MPI;
  }
}

}  // namespace

int fail(int code, std::string message) {
  base::PerThread<LastError>::get().text = std::move(message);
  return code;
}

int fail_of_mpi(const char* what, int mpi_code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0, error_class = MPI_ERR_UNKNOWN;
  PMPI_Error_string(mpi_code, text, &length);
  PMPI_Error_class(mpi_code, &error_class);
  return fail(code_of(error_class),
              std::string(what) + ": " + std::string(text, static_cast<size_t>(length)));
}

}  // namespace tutti::mpi::api

using tutti::mpi::api::k_meanings;

extern "C" const char* tutti_error_string(int code) {
  return code >= 0 && static_cast<size_t>(code) < k_meanings.size() ? k_meanings[static_cast<size_t>(code)]
                                                                    : "not a code of Tutti";
}

extern "C" const char* tutti_last_error(void) {
  return tutti::base::PerThread<tutti::mpi::api::LastError>::get().text.c_str();
}
