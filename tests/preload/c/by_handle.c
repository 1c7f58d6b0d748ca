// Finds MPI's functions by dlsym in the MPI's own library, as bindings of some languages do: they are not those of a
// library that is preloaded.
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef OPEN_MPI
#define LIBRARY "libmpi.so.40"
#else
#define LIBRARY "libmpich.so.12"
#endif

static void* function(const char* name) {
  static void* library;
  if (library == NULL) library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  void* const found = library != NULL ? dlsym(library, name) : NULL;
  if (found == NULL) {
    printf("no %s\n", name);
    exit(1);
  }
  return found;
}

int main(int argc, char** argv) {
  int (*init)(int*, char***) = (int (*)(int*, char***))function("MPI_Init");
  int (*rank_of)(MPI_Comm, int*) = (int (*)(MPI_Comm, int*))function("MPI_Comm_rank");
  int (*bcast)(void*, int, MPI_Datatype, int, MPI_Comm) =
      (int (*)(void*, int, MPI_Datatype, int, MPI_Comm))function("MPI_Bcast");
  int (*finalize)(void) = (int (*)(void))function("MPI_Finalize");
  init(&argc, &argv);
  int rank = 0, value = 0;
  rank_of(MPI_COMM_WORLD, &rank);
  if (rank == 0) value = 48;
  bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("by_handle: 0 failed\n");
  finalize();
  return value == 48 ? 0 : 1;
}
