// starts_program COMMAND: the only rank has the shell run the command, and ends with its status. For outputs.py.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  fflush(stdout);
  const int status = argc > 1 ? system(argv[1]) : -1;
  MPI_Finalize();
  return status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
