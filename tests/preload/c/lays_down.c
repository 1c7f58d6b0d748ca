// lays_down root|descriptors: a program that lays down means after MPI_Init, as servers do, or uses them up: its root,
// where it may, or its file descriptors. Nothing that is needed later may have to be found in the file system, or
// opened.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

enum { k_count = 20000 };

static void lay_down_root(void) {
  char root[] = "/tmp/lays_down.XXXXXX";
  CHECK(mkdtemp(root) != NULL, "a folder");
  const int above = open("/tmp", O_RDONLY | O_DIRECTORY);
  if (syscall(SYS_chroot, root) == 0) CHECK(chdir("/") == 0, "its root");  // others than root may not
  CHECK(unlinkat(above, root + sizeof "/tmp", AT_REMOVEDIR) == 0, "the folder goes");
}

/// Returns the first one.
static int use_up_descriptors(void) {
  const int first = open("/dev/null", O_RDONLY);
  int last = first;
  for (int next = first; next >= 0; next = open("/dev/null", O_RDONLY)) last = next;
  CHECK(last > first, "there are more");
  return first;
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  const int is_root = argc > 1 && strcmp(argv[1], "root") == 0;
  int first = -1;
  MPI_Barrier(MPI_COMM_WORLD);
  static double mine[k_count], sums[k_count];
  for (int i = 0; i < k_count; ++i) mine[i] = i;
  // The MPI makes its connections when they are first needed.
  MPI_Allreduce(mine, sums, k_count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (is_root)
    lay_down_root();
  else
    first = use_up_descriptors();
  for (int round = 0; round < 3; ++round) {
    MPI_Request request;
    MPI_Iallreduce(mine, sums, k_count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(sums[k_count - 1] == (double)(k_count - 1) * g_size, "the sum is %f", sums[k_count - 1]);
    MPI_Allreduce(mine, sums, k_count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sums[1] == g_size, "the sum is %f", sums[1]);
  }
  if (first >= 0) close(first);  // frees a descriptor in case the end of the program needs one
  return check_finish("lays_down");
}
