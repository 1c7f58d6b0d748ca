// Point-to-point traffic with MPI_ANY_SOURCE and MPI_ANY_TAG on the communicator that collectives use: no
// message of a collective may be seen by a wildcard receive or probe, and none of the program's be lost.
#include "check.h"

#include <stdlib.h>

enum { k_rounds = 40, k_count = 3000, k_last_tag = 32000 };

// Every rank sends one message to its right neighbour before a collective and receives one after it.
static void check_round(int round) {
  const int right = (g_rank + 1) % g_size;
  const int left = (g_rank + g_size - 1) % g_size;
  const int tag = round % 2 ? round : k_last_tag - round;
  const int count = 1 + round * 7 % 50;
  int outgoing[64];
  int incoming[64];
  for (int i = 0; i < count; ++i) outgoing[i] = value_of(g_rank, (size_t)i, (unsigned)round);
  MPI_Request send;
  MPI_Request receive;
  MPI_Status status;
  // Posted before the collectives on even rounds: a stray internal message would match it.
  if (round % 2 == 0) MPI_Irecv(incoming, 64, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &receive);
  if (round % 4 == 0) MPI_Barrier(MPI_COMM_WORLD);

  int data[k_count];
  const int root = round % g_size;
  for (int i = 0; i < k_count; ++i) data[i] = g_rank == root ? i ^ round : -1;
  MPI_Bcast(data, k_count, MPI_INT, root, MPI_COMM_WORLD);
  bool good = true;
  for (int i = 0; i < k_count; ++i) good = good && data[i] == (i ^ round);
  CHECK(good, "round %d: bcast", round);
  int flag = 1;
  if (round % 2 == 1) {
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
    CHECK(!flag, "round %d: a probe sees a message of %d with tag %d", round, status.MPI_SOURCE,
          status.MPI_TAG);
  }
  MPI_Barrier(MPI_COMM_WORLD);  // no rank sends before all have probed

  MPI_Isend(outgoing, count, MPI_INT, right, tag, MPI_COMM_WORLD, &send);
  int sum = 0;
  MPI_Allreduce(&g_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == g_size * (g_size - 1) / 2, "round %d: allreduce", round);
  if (round % 2 == 0)
    MPI_Wait(&receive, &status);
  else
    MPI_Recv(incoming, 64, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  int received = 0;
  MPI_Get_count(&status, MPI_INT, &received);
  good = received == count && status.MPI_SOURCE == left && status.MPI_TAG == tag;
  for (int i = 0; good && i < count; ++i) good = incoming[i] == value_of(left, (size_t)i, (unsigned)round);
  CHECK(good, "round %d: %d items from %d with tag %d", round, received, status.MPI_SOURCE, status.MPI_TAG);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  for (int round = 0; round < k_rounds; ++round) check_round(round);
  MPI_Barrier(MPI_COMM_WORLD);  // before the messages of the report, which a wildcard would receive
  return check_finish("wildcards");
}
