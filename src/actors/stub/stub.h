#pragma once
// Definitions for the generated stub library (generate.py).

#include "actors/stub/host.h"

// Functions that do nothing, or copy a value: the container recognises them by their addresses.
#ifdef OPEN_MPI
#define TUTTI_COPY(name, handle, is_kept)                                                     \
  EXPORTED int name(handle of, int keyval, void* state, void* value, void* copy, int* flag) { \
    (void)of, (void)keyval, (void)state;                                                      \
    if (is_kept) *(void**)copy = value;                                                       \
    *flag = is_kept;                                                                          \
    return MPI_SUCCESS;                                                                       \
  }
#define TUTTI_DELETE(name, handle)                                     \
  EXPORTED int name(handle of, int keyval, void* value, void* state) { \
    (void)of, (void)keyval, (void)value, (void)state;                  \
    return MPI_SUCCESS;                                                \
  }
TUTTI_COPY(OMPI_C_MPI_COMM_DUP_FN, MPI_Comm, 1)
TUTTI_COPY(OMPI_C_MPI_COMM_NULL_COPY_FN, MPI_Comm, 0)
TUTTI_DELETE(OMPI_C_MPI_COMM_NULL_DELETE_FN, MPI_Comm)
TUTTI_COPY(OMPI_C_MPI_TYPE_DUP_FN, MPI_Datatype, 1)
TUTTI_COPY(OMPI_C_MPI_TYPE_NULL_COPY_FN, MPI_Datatype, 0)
TUTTI_DELETE(OMPI_C_MPI_TYPE_NULL_DELETE_FN, MPI_Datatype)
TUTTI_COPY(OMPI_C_MPI_DUP_FN, MPI_Comm, 1)
TUTTI_COPY(OMPI_C_MPI_NULL_COPY_FN, MPI_Comm, 0)
TUTTI_DELETE(OMPI_C_MPI_NULL_DELETE_FN, MPI_Comm)
#else
EXPORTED int MPIR_Dup_fn(MPI_Comm of, int keyval, void* state, void* value, void* copy, int* flag) {
  (void)of, (void)keyval, (void)state;
  *(void**)copy = value;
  *flag = 1;
  return MPI_SUCCESS;
}
#endif
