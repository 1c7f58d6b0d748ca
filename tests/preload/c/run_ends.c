// Ends as the argument says, after some calls: finalize, abort, exit, kill, crash, hang (until a signal ends it), or
// late (rank 2 comes late to MPI_Finalize).
// Other ways to hang: receive (all wait for messages of each other), wait (for a nonblocking barrier to which rank 2
// does not come), tests (in a loop, for a message), mismatch (rank 2 calls another collective than the others).
// The odd one is rank 2; the others go on to another allreduce, in which they sit when it ends.

#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void add(void) {
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

// All others have left the calls before, and have had the time to make the next one.
static void await_others(int rank) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank != 2) MPI_Send(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD);
  for (int i = 1; rank == 2 && i < size; ++i)
    MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 2) sleep(1);
}

static void hang_otherwise(const char* how, int rank) {
  int size, data = 0, is_done = 0;
  MPI_Request request;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(how, "receive") == 0)
    MPI_Recv(&data, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (strcmp(how, "wait") == 0) {
    while (rank == 2) pause();
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (strcmp(how, "tests") == 0 && rank != 2) {
    MPI_Irecv(&data, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &request);
    while (!is_done) {
      MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
      usleep(100);
    }
  }
  if (strcmp(how, "mismatch") == 0) {
    if (rank == 2)
      MPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
      MPI_Barrier(MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* end = argc > 1 ? argv[1] : "finalize";
  const struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 20; ++i) add();
  if (strcmp(end, "exit") == 0) exit(5);
  if (strcmp(end, "late") == 0) {
    if (rank == 2) sleep(2);
    MPI_Finalize();
    return 0;
  }
  await_others(rank);
  if (rank == 2) {
    if (strcmp(end, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
    if (strcmp(end, "kill") == 0) raise(SIGKILL);
    if (strcmp(end, "crash") == 0) raise(SIGSEGV);
    while (strcmp(end, "hang") == 0) pause();
  }
  hang_otherwise(end, rank);
  add();
  MPI_Finalize();
  return 0;
}
