// fork between collectives: a child that exits as programs do, one that runs another program, one that writes to memory
// that was communicated. The parent goes on communicating while its children live, and a nonblocking collective is
// under way while they are born.
#include "check.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { k_count = 50000, k_child_status = 7 };

static pid_t start_child(int kind, int* data) {
  const pid_t child = fork();
  if (child != 0) return child;
  if (kind == 1) {
    execl("/bin/sh", "sh", "-c", "exit 7", (char*)NULL);
    _exit(1);
  }
  if (kind == 2) exit(k_child_status);             // with what libraries do at exit
  for (int i = 0; i < k_count; ++i) data[i] = -1;  // the parent's memory must not change
  usleep(20000);
  _exit(k_child_status);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  int* data = allocate_ints(k_count, 0);
  int* sums = allocate_ints(k_count, 0);
  for (int turn = 0; turn < 6; ++turn) {
    const int root = turn % g_size;
    for (int i = 0; i < k_count; ++i) data[i] = g_rank == root ? turn + i : 0;
    MPI_Bcast(data, k_count, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < k_count; ++i) sums[i] = i;
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, sums, k_count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    const pid_t child = start_child(turn % 3, data);
    CHECK(child > 0, "fork failed");
    int sum = 0;
    MPI_Allreduce(&g_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    bool good = sum == g_size * (g_size - 1) / 2;
    for (int i = 0; i < k_count; ++i) good = good && data[i] == turn + i;
    CHECK(good, "turn %d", turn);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < k_count; ++i) good = good && sums[i] == i * g_size;
    CHECK(good, "turn %d: the collective beside fork", turn);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == k_child_status,
          "turn %d: the child ended with %d", turn, status);
  }
  free(data);
  free(sums);
  return check_finish("forking");
}
