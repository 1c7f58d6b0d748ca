// stays FOLDER [calls]: makes collectives, changes to another folder, and computes until it is ended, or stops after
// `calls` rounds of collectives. Rank 0 says its process id first. For outputs.py.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BYTES = 65536 };

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  const long rounds = argc > 2 ? strtol(argv[2], NULL, 10) : 200;
  char* data = allocate(BYTES);
  for (long i = 0; i < rounds; ++i) MPI_Bcast(data, BYTES, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (chdir(argv[1]) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  if (argc > 2) {
    free(data);
    return check_finish("stays");
  }
  if (g_rank == 0) {
    printf("computing as %ld\n", (long)getpid());
    fflush(stdout);
  }
  for (volatile unsigned long i = 0;; ++i) usleep(1000);
}
