// The first thing that a program does after MPI_Init, which the argument names: "blocking" or "nonblocking"
// collectives, or "messages". What the library has done in MPI_Init must not meet it.
#include "check.h"

#include <string.h>

enum { k_rounds = 40, k_count = 5000, k_tag = 7 };

static int data[k_count], sums[k_count];

static void fill(int round) {
  for (int i = 0; i < k_count; ++i) data[i] = round + g_rank * (i + 1);
}

static void check_sums(int round) {
  const int ranks = g_size * (g_size - 1) / 2;
  bool holds = true;
  for (int i = 0; i < k_count; ++i) holds = holds && sums[i] == g_size * round + ranks * (i + 1);
  CHECK(holds, "round %d: a wrong sum", round);
}

static void blocking(void) {
  for (int round = 0; round < k_rounds; ++round) {
    fill(round);
    MPI_Allreduce(data, sums, k_count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check_sums(round);
    int word = g_rank == round % g_size ? round : -1;
    MPI_Bcast(&word, 1, MPI_INT, round % g_size, MPI_COMM_WORLD);
    CHECK(word == round, "round %d: a wrong broadcast, %d", round, word);
  }
}

static void nonblocking(void) {
  for (int round = 0; round < k_rounds; ++round) {
    MPI_Request requests[2];
    int word = g_rank == round % g_size ? round : -1;
    fill(round);
    MPI_Iallreduce(data, sums, k_count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Ibcast(&word, 1, MPI_INT, round % g_size, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    check_sums(round);
    CHECK(word == round, "round %d: a wrong broadcast, %d", round, word);
  }
}

// Receives take whatever comes.
static void messages(void) {
  const int next = (g_rank + 1) % g_size, previous = (g_rank + g_size - 1) % g_size;
  for (int round = 0; round < k_rounds; ++round) {
    MPI_Request request;
    MPI_Status status;
    int count, word = -1;
    MPI_Isend(&round, 1, MPI_INT, next, k_tag + round, MPI_COMM_WORLD, &request);
    MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(status.MPI_SOURCE == previous && status.MPI_TAG == k_tag + round && count == 1 && word == round,
          "round %d: %d of tag %d from rank %d", round, word, status.MPI_TAG, status.MPI_SOURCE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  int is_any = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_any, MPI_STATUS_IGNORE);
  CHECK(!is_any, "a message is left that nobody has sent");
  MPI_Barrier(MPI_COMM_WORLD);  // the report of the checks is made of messages
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  const char* const first = argc > 1 ? argv[1] : "blocking";
  if (strcmp(first, "messages") == 0) messages();
  if (strcmp(first, "nonblocking") == 0) nonblocking();
  blocking();
  nonblocking();
  messages();
  return check_finish("first_calls");
}
