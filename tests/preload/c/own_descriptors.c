// A program that closes its standard error after MPI_Init, as daemons do, and whose next file gets that number: nothing
// of others may be written there. With the argument `standard_output` the number leads to the standard output instead.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  const bool is_output = argc > 1 && strcmp(argv[1], "standard_output") == 0;
  char name[] = "/tmp/own_descriptors.XXXXXX";
  const int made = mkstemp(name);
  CHECK(made > STDERR_FILENO, "a file");
  unlink(name);
  close(STDERR_FILENO);
  const int file = dup(is_output ? STDOUT_FILENO : made);
  CHECK(file == STDERR_FILENO, "descriptor %d", file);
  int value = 1, sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == g_size, "sum %d", sum);
  const int status = check_finish("own_descriptors");
  char text[64] = "";
  if (!is_output && pread(file, text, sizeof text - 1, 0) != 0) {
    printf("rank %d: others have written: %s\n", g_rank, text);
    return 1;
  }
  return status;
}
