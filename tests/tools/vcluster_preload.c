/* Stands for a tool in LD_PRELOAD that wraps MPI_Finalize, as Tutti does: the shim has to work below it. */
#include <stdio.h>

int PMPI_Finalize(void);

int MPI_Finalize(void) {
  puts("wrapped");
  fflush(stdout);
  return PMPI_Finalize();
}
