// Progress of the program's own communication while it waits for a nonblocking collective. As in progress.c,
// a large message is on its way by rendezvous, and its receiver takes part in the collective only after it
// has arrived.
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

enum { k_messages = 4000, k_length = 512, k_count = 5000 };

static int* g_mine;
static int* g_all;

static void begin(MPI_Comm comm, MPI_Request* collective) {
  MPI_Iallgather(g_mine, k_count, MPI_INT, g_all, k_count, MPI_INT, comm, collective);
}

// How both are completed: `requests` are those of the collective and of the message.
typedef void (*Wait)(MPI_Comm comm, MPI_Request requests[2]);

static void one_by_one(MPI_Comm comm, MPI_Request requests[2]) {
  (void)comm;
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

static void all(MPI_Comm comm, MPI_Request requests[2]) {
  (void)comm;
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void any(MPI_Comm comm, MPI_Request requests[2]) {
  (void)comm;
  int index = -1;
  do MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
  while (index != MPI_UNDEFINED);
}

static void only_the_collective(MPI_Comm comm, MPI_Request requests[2]) {
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Barrier(comm);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

// One that blocks stands behind the one that does not.
static void behind_a_barrier(MPI_Comm comm, MPI_Request requests[2]) {
  MPI_Barrier(comm);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static const struct {
  const char* name;
  Wait wait;
} k_waits[] = {{"MPI_Wait", one_by_one},
               {"MPI_Waitall", all},
               {"MPI_Waitany", any},
               {"a barrier after it", only_the_collective},
               {"a barrier before it", behind_a_barrier}};

static void receive_all(void) {
  static int message[k_length];
  for (int i = 0; i < k_messages; ++i) {
    MPI_Recv(message, k_length, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(message[0] == i && message[k_length - 1] == -i, "message %d", i);
  }
}

static void send_all(int* messages, MPI_Request* requests) {
  for (int i = 0; i < k_messages; ++i) {
    int* message = messages + (size_t)i * k_length;
    message[0] = i;
    message[k_length - 1] = -i;
    MPI_Isend(message, k_length, MPI_INT, 1, 5, MPI_COMM_WORLD, &requests[i]);
  }
}

// Rank 0 to rank 1; all others are in the collective from the start.
static void send_across(MPI_Comm comm, int round) {
  int* messages = allocate_ints((size_t)k_messages * k_length, 0);
  MPI_Request* sends = allocate(k_messages * sizeof *sends);
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  for (int i = 0; i < k_count; ++i) g_mine[i] = value_of(g_rank, (size_t)i, (unsigned)round);
  if (g_rank == 1) {
    usleep(2000);
    receive_all();
  } else if (g_rank == 0) {
    send_all(messages, sends);
    requests[1] = sends[k_messages - 1];
  }
  begin(comm, &requests[0]);
  k_waits[round].wait(comm, requests);
  if (g_rank == 0) MPI_Waitall(k_messages - 1, sends, MPI_STATUSES_IGNORE);
  for (int rank = 0; rank < g_size; ++rank)
    CHECK(g_all[rank * k_count + 7] == value_of(rank, 7, (unsigned)round), "%s: block %d",
          k_waits[round].name, rank);
  free(sends);
  free(messages);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  g_mine = allocate_ints(k_count, 0);
  g_all = allocate_ints((size_t)g_size * k_count, 0);
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  for (int round = 0; round < (int)(sizeof k_waits / sizeof k_waits[0]); ++round) send_across(other, round);
  MPI_Comm_free(&other);
  free(g_mine);
  free(g_all);
  return check_finish("progress_in_waits");
}
