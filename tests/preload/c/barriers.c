// No rank leaves a barrier before all have entered: ranks are late in turn, and each compares its exit time with the
// entry times of all. All ranks share one clock.
#include "check.h"

#include <time.h>
#include <unistd.h>

enum { k_calls = 60, k_late_us = 3000 };

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// Blocking, waited for at once, or tested while there is something else to do.
static void meet(MPI_Comm comm, int call) {
  if (call % 3 == 0) {
    MPI_Barrier(comm);
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &request);
  for (int done = 0; call % 3 == 1 && !done;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) usleep(100);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void meet_often(MPI_Comm comm, int rank, int size) {
  int too_early = 0;
  for (int call = 0; call < k_calls; ++call) {
    if (call % size == rank && call % 4 != 3) usleep((useconds_t)value_of(rank, (size_t)call, 3) % k_late_us);
    const double entered = now_s();
    meet(comm, call);
    const double left = now_s();
    double last_entered = 0;
    MPI_Allreduce(&entered, &last_entered, 1, MPI_DOUBLE, MPI_MAX, comm);
    too_early += left < last_entered;
  }
  CHECK(too_early == 0, "left %d of %d barriers of %d ranks too early", too_early, k_calls, size);
}

/// Several at the same time, on two communicators, completed in another order than started.
static void meet_together(MPI_Comm a, MPI_Comm b) {
  enum { k_pairs = 20 };
  MPI_Request requests[2 * k_pairs];
  const double entered = now_s();
  for (int i = 0; i < k_pairs; ++i) {
    MPI_Ibarrier(a, &requests[i]);
    MPI_Ibarrier(b, &requests[2 * k_pairs - 1 - i]);
  }
  MPI_Waitall(2 * k_pairs, requests, MPI_STATUSES_IGNORE);
  const double left = now_s();
  double last_entered = 0;
  MPI_Allreduce(&entered, &last_entered, 1, MPI_DOUBLE, MPI_MAX, a);
  CHECK(left >= last_entered, "left barriers on two communicators too early");
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  for_each_communicator(meet_often);
  MPI_Comm twin;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  meet_together(MPI_COMM_WORLD, twin);
  MPI_Comm_free(&twin);
  return check_finish("barriers");
}
