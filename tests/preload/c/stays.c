// stays FOLDER [calls]: makes collectives, changes to another folder, and computes until it is ended, or stops after
// `calls` rounds of collectives. Rank 0 says its process id first. What it says about SIGTERM comes to the default
// again, twice. For outputs.py.
#include "check.h"

#include <signal.h>
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
  struct sigaction before;
  CHECK(signal(SIGTERM, SIG_IGN) == SIG_DFL && signal(SIGTERM, SIG_DFL) == SIG_IGN, "SIGTERM is the default");
  sigaction(SIGTERM, NULL, &before);
  CHECK(before.sa_handler == SIG_DFL && sigaction(SIGTERM, &before, NULL) == 0,
        "SIGTERM is the default again");
  if (g_rank == 0) {
    printf("computing as %ld\n", (long)getpid());
    fflush(stdout);
  }
  for (volatile unsigned long i = 0;; ++i) usleep(1000);
}
