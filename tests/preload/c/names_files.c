// A program that is linked with calls for files, as all are that use HDF5 or PETSc, and makes them where it is told to.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void use_file(void) {
  char name[64];
  MPI_File file;
  int written = g_rank, read = -1;
  snprintf(name, sizeof name, "/tmp/tutti-names-files-%d-%d", (int)getpid(), g_rank);
  CHECK(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                      MPI_INFO_NULL, &file) == MPI_SUCCESS,
        "no file");
  MPI_File_write_at(file, 0, &written, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_read_at(file, 0, &read, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  CHECK(read == written, "%d instead of %d", read, written);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  int sum = 0;
  MPI_Allreduce(&g_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == g_size * (g_size - 1) / 2, "sum %d", sum);
  if (argc > 1) use_file();
  return check_finish("names_files");
}
