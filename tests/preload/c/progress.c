// Progress of the program's own communication inside collectives. A large message is on its way by
// rendezvous while its sender waits in a collective that its receiver enters only after the message has
// arrived: a collective that does not drive the MPI library would wait for ever.
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

enum { k_large = 1 << 20 };

static bool holds(const int* data, unsigned salt) {
  for (size_t i = 0; i < k_large; ++i)
    if (data[i] != value_of(0, i, salt)) return false;
  return true;
}

typedef void (*Collective)(void);

static void barrier(void) {
  MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast_from_last(void) {
  static int data[20000];
  MPI_Bcast(data, 20000, MPI_INT, g_size - 1, MPI_COMM_WORLD);
}

static void allreduce(void) {
  double mine = 1;
  double sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == g_size, "allreduce gave %g", sum);
}

// Rank 0 to rank 1; all others are in the collective from the start.
static void send_across(const char* name, Collective collective, unsigned salt) {
  int* data = allocate_ints(k_large, -1);
  if (g_rank == 0) {
    MPI_Request send;
    for (size_t i = 0; i < k_large; ++i) data[i] = value_of(0, i, salt);
    MPI_Isend(data, k_large, MPI_INT, 1, 5, MPI_COMM_WORLD, &send);
    collective();
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  } else {
    if (g_rank == 1) {
      usleep(2000);
      MPI_Recv(data, k_large, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(holds(data, salt), "message across %s", name);
    }
    collective();
  }
  free(data);
}

// A nonblocking collective of the MPI library progresses inside a blocking one on another communicator.
static void nonblocking_across(MPI_Comm other) {
  int* data = allocate_ints(k_large, -1);
  MPI_Request request;
  for (size_t i = 0; g_rank == 0 && i < k_large; ++i) data[i] = value_of(0, i, 3);
  MPI_Ibcast(data, k_large, MPI_INT, 0, other, &request);
  if (g_rank == g_size - 1) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    barrier();
  } else {
    barrier();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  CHECK(holds(data, 3), "nonblocking broadcast across a barrier");
  free(data);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  send_across("barrier", barrier, 1);
  send_across("bcast", bcast_from_last, 2);
  send_across("allreduce", allreduce, 4);
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  nonblocking_across(other);
  MPI_Comm_free(&other);
  return check_finish("progress");
}
