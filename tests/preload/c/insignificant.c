// Arguments that MPI says are not significant on a rank may be anything there. Enough calls, and ranks that are late,
// so that run-time selection holds some of them back.
#include "check.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { k_rounds = 40, k_calls = 4, k_count = 500, k_ranks = 64 };

static int g_one[k_count];
static int g_all[k_ranks * k_count];

// Not a handle of anything.
static MPI_Datatype rubbish_type(void) {
  MPI_Datatype type;
  memset(&type, 0x5a, sizeof type);
  return type;
}

static void fill(int* data, int rank, int round) {
  for (int i = 0; i < k_count; ++i) data[i] = value_of(rank, (size_t)i, (unsigned)round);
}

static void check(const char* what, int round, const int* data, int from) {
  bool is_right = true;
  for (int i = 0; i < k_count; ++i)
    is_right = is_right && data[i] == value_of(from, (size_t)i, (unsigned)round);
  CHECK(is_right, "%s, round %d", what, round);
}

static void gather(int root, int round) {
  MPI_Request request;
  fill(g_one, g_rank, round);
  fill(g_all + root * k_count, root, round);
  if (g_rank == root)
    MPI_Igather(MPI_IN_PLACE, -7, rubbish_type(), g_all, k_count, MPI_INT, root, MPI_COMM_WORLD, &request);
  else
    MPI_Igather(g_one, k_count, MPI_INT, (void*)(uintptr_t)16, -7, rubbish_type(), root, MPI_COMM_WORLD,
                &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int r = 0; g_rank == root && r < g_size; ++r) check("gather", round, g_all + r * k_count, r);
}

static void scatter(int root, int round) {
  MPI_Request request;
  for (int r = 0; r < g_size; ++r) fill(g_all + r * k_count, r, round);
  if (g_rank == root) {
    MPI_Iscatter(g_all, k_count, MPI_INT, MPI_IN_PLACE, -7, rubbish_type(), root, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return;
  }
  memset(g_one, 0, sizeof g_one);
  MPI_Iscatter((void*)(uintptr_t)16, -7, rubbish_type(), g_one, k_count, MPI_INT, root, MPI_COMM_WORLD,
               &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check("scatter", round, g_one, g_rank);
}

static void in_place(int round) {
  MPI_Request request;
  fill(g_all + g_rank * k_count, g_rank, round);
  MPI_Iallgather(MPI_IN_PLACE, -7, rubbish_type(), g_all, k_count, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int r = 0; r < g_size; ++r) check("allgather", round, g_all + r * k_count, r);

  for (int r = 0; r < g_size; ++r) fill(g_all + r * k_count, g_rank * g_size + r, round);
#ifdef OPEN_MPI
  const MPI_Datatype no_type = MPI_INT;  // it looks at the type natively
#else
  const MPI_Datatype no_type = rubbish_type();
#endif
  MPI_Ialltoall(MPI_IN_PLACE, -7, no_type, g_all, k_count, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int r = 0; r < g_size; ++r) check("alltoall", round, g_all + r * k_count, r * g_size + g_rank);
}

static void alltoallw(int round) {
  MPI_Request request;
  int counts[k_ranks], places[k_ranks];
  MPI_Datatype types[k_ranks];
  for (int r = 0; r < g_size; ++r) {
    counts[r] = k_count;
    places[r] = r * k_count * (int)sizeof(int);
    types[r] = MPI_INT;
    fill(g_all + r * k_count, g_rank * g_size + r, round);
  }
  MPI_Ialltoallw(MPI_IN_PLACE, NULL, NULL, NULL, g_all, counts, places, types, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int r = 0; r < g_size; ++r) check("alltoallw", round, g_all + r * k_count, r * g_size + g_rank);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  for (int round = 0; round < k_rounds; ++round) {
    // Those that are early come to the next call of the same kind before the late one has come to the first.
    for (int call = 0; call < k_calls; ++call) {
      if (g_rank == (round + 1) % g_size && call == 0) usleep(3000);
      gather(round % g_size, round);
    }
    for (int call = 0; call < k_calls; ++call) {
      if (g_rank == (round + 2) % g_size && call == 0) usleep(3000);
      scatter(round % g_size, round);
    }
    in_place(round);
    alltoallw(round);
  }
  return check_finish("insignificant");
}
