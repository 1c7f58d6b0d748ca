#pragma once
// What the generated library of calls stands on (generate.py). Loaded once for each rank, with that rank's variables.

#include <stdio.h>
#include <stdlib.h>

#define EXPORTED __attribute__((visibility("default")))

/// As tutti::actors::GuestHost.
struct tutti_host {
  void* actor;
  char** environment;
  void (*leave)(void* actor, int status);
  const void* calls;
  void* rank;
};

/// Of the guest, the first library of every rank.
extern const struct tutti_host* tutti_guest_host(void);

static const struct tutti_host* host;

static inline const struct tutti_calls* calls(void) {
  if (host == NULL) host = tutti_guest_host();
  return (const struct tutti_calls*)host->calls;
}

/// Programs that need these are refused before they begin; one can still look them up by name.
static _Noreturn inline void uncovered(const char* name) {
  fprintf(stderr, "tutti: ranks as threads do not have %s (run the program without --actors)\n", name);
  const struct tutti_calls* table = calls();
  table->Abort(host->rank, MPI_COMM_WORLD, 1);
  abort();
}

// Functions that do nothing, or copy a value: the container knows them by their addresses.
#ifdef OPEN_MPI
#define TUTTI_COPY(name, handle, is_kept)                                                           \
  EXPORTED int name(handle of, int keyval, void* state, void* value, void* copy, int* flag) {       \
    (void)of, (void)keyval, (void)state;                                                            \
    if (is_kept) *(void**)copy = value;                                                             \
    *flag = is_kept;                                                                                \
    return MPI_SUCCESS;                                                                             \
  }
#define TUTTI_DELETE(name, handle)                                          \
  EXPORTED int name(handle of, int keyval, void* value, void* state) {      \
    (void)of, (void)keyval, (void)value, (void)state;                       \
    return MPI_SUCCESS;                                                     \
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
