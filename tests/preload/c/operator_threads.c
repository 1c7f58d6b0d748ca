// The program's own operators are called by the thread that has called the collective, inside that call or one that
// completes it: they may use what belongs to the program's only thread.
#include <pthread.h>
#include <stdlib.h>

#include "check.h"

enum { k_count = 3000 };

static pthread_t main_thread;
static bool is_inside;
static int calls, calls_elsewhere, calls_outside;

static void add(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  ++calls;
  if (!pthread_equal(pthread_self(), main_thread)) ++calls_elsewhere;
  if (!is_inside) ++calls_outside;
  for (int i = 0; i < *length; ++i) ((long*)inout)[i] += ((const long*)in)[i];
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  main_thread = pthread_self();
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  long* const mine = allocate(sizeof(long) * k_count * (size_t)g_size);
  long* const sums = allocate(sizeof(long) * k_count * (size_t)g_size);
  for (int i = 0; i < k_count * g_size; ++i) mine[i] = g_rank + i;
  for (int round = 0; round < 5; ++round) {
    is_inside = true;
    MPI_Allreduce(mine, sums, k_count, MPI_LONG, op, MPI_COMM_WORLD);
    MPI_Reduce(mine, sums, k_count, MPI_LONG, op, round % g_size, MPI_COMM_WORLD);
    MPI_Scan(mine, sums, k_count, MPI_LONG, op, MPI_COMM_WORLD);
    MPI_Exscan(mine, sums, k_count, MPI_LONG, op, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(mine, sums, k_count, MPI_LONG, op, MPI_COMM_WORLD);
    MPI_Allreduce(mine, sums, 1, MPI_LONG, op, MPI_COMM_WORLD);
    is_inside = false;
    CHECK(sums[0] == (long)g_size * (g_size - 1) / 2, "the sum is %ld", sums[0]);
    MPI_Request request;
    is_inside = true;
    MPI_Iallreduce(mine, sums, k_count, MPI_LONG, op, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    is_inside = false;
    CHECK(sums[k_count - 1] == (long)g_size * (g_size - 1) / 2 + (long)g_size * (k_count - 1),
          "the sum is %ld", sums[k_count - 1]);
  }
  CHECK(calls_elsewhere == 0, "%d of %d calls of the operator were another thread's", calls_elsewhere, calls);
  CHECK(calls_outside == 0, "%d of %d calls of the operator were outside of MPI calls", calls_outside, calls);
  MPI_Op_free(&op);
  free(mine);
  free(sums);
  return check_finish("operator_threads");
}
