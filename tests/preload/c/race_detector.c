// A program that has been compiled for a detector of data races, which it is known by: the MPI gets no other thread
// level than natively, because its locks would be reported. Here the detector's first function stands for it.
#include <dlfcn.h>
#include <stdio.h>

#include "check.h"

__attribute__((visibility("default"))) void __tsan_init(void);
void __tsan_init(void) {}

enum { k_count = 20000 };

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  // That of the MPI, not what Tutti says of it; a program that names PMPI_* would get another progress.
  int (*const query)(int*) = (int (*)(int*))dlsym(RTLD_DEFAULT, "PMPI_Query_thread");
  int level = -1;
  if (CHECK(query != NULL, "PMPI_Query_thread is not there")) query(&level);
  if (g_rank == 0)
    printf("the MPI has MPI_THREAD_MULTIPLE: %s\n", level == MPI_THREAD_MULTIPLE ? "yes" : "no");
  static int ones[k_count], sums[k_count];
  for (int i = 0; i < k_count; ++i) ones[i] = 1;
  MPI_Request request;
  MPI_Iallreduce(ones, sums, k_count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < k_count; ++i)
    if (!CHECK(sums[i] == g_size, "element %d is %d", i, sums[i])) break;
  return check_finish("race_detector");
}
