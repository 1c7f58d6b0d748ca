// A program of ISO C that has functions of its own by names of POSIX, which the linker exports because the C library
// has them, too: what is in the process only with Tutti may not call them.
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

static int calls;

#define OWN(name)                                  \
  int name(int number) {                           \
    ++calls;                                       \
    printf("the program's " #name " is called\n"); \
    return -number;                                \
  }

int sem_wait(int number);
int sem_post(int number);
int posix_fallocate(int number);
OWN(sem_wait)
OWN(sem_post)
OWN(posix_fallocate)

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  static double data[20000], sums[20000];
  for (int i = 0; i < 20; ++i) {
    MPI_Bcast(data, i % 2 == 0 ? 20000 : 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Allreduce(data, sums, 20000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Request request;
    MPI_Iallreduce(data, sums, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  CHECK(calls == 0, "%d calls of the program's own functions", calls);
  return check_finish("own_names");
}
