// A program that lays down means after MPI_Init, as servers do: its root, where it may. Nothing that is needed later
// may have to be found in the file system.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

enum { k_count = 20000 };

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  char root[] = "/tmp/lays_down.XXXXXX";
  CHECK(mkdtemp(root) != NULL, "a folder");
  const int above = open("/tmp", O_RDONLY | O_DIRECTORY);
  MPI_Barrier(MPI_COMM_WORLD);
  if (chroot(root) == 0) CHECK(chdir("/") == 0, "its root");  // others than root may not
  static double mine[k_count], sums[k_count];
  for (int i = 0; i < k_count; ++i) mine[i] = i;
  for (int round = 0; round < 3; ++round) {
    MPI_Request request;
    MPI_Iallreduce(mine, sums, k_count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(sums[k_count - 1] == (double)(k_count - 1) * g_size, "the sum is %f", sums[k_count - 1]);
    MPI_Allreduce(mine, sums, k_count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sums[1] == g_size, "the sum is %f", sums[1]);
  }
  CHECK(unlinkat(above, root + sizeof "/tmp", AT_REMOVEDIR) == 0, "the folder goes");
  return check_finish("lays_down");
}
