// One buffer for both sides of a call. Where two types begin at one address and share no byte, the program is
// right, and only one rank may do it while its peers do not. What MPICH recognises as a mistake it refuses on
// the rank that made it, and the same errors must come.
#include "check.h"

#include <stdlib.h>

enum { k_pairs = 64 };  // an element of either type: the even or the odd ints of this many pairs

static MPI_Datatype g_even, g_odd;

static void make_types(void) {
  int displacements[k_pairs];
  for (int i = 0; i < k_pairs; ++i) displacements[i] = 2 * i;
  MPI_Datatype type;
  MPI_Type_create_indexed_block(k_pairs, 1, displacements, MPI_INT, &type);
  MPI_Type_create_resized(type, 0, 2 * k_pairs * (int)sizeof(int), &g_even);
  MPI_Type_free(&type);
  for (int i = 0; i < k_pairs; ++i) ++displacements[i];
  MPI_Type_create_indexed_block(k_pairs, 1, displacements, MPI_INT, &type);
  MPI_Type_create_resized(type, 0, 2 * k_pairs * (int)sizeof(int), &g_odd);
  MPI_Type_free(&type);
  MPI_Type_commit(&g_even);
  MPI_Type_commit(&g_odd);
}

// The even ints hold what `rank` sends to block `block`, the odd ones nothing yet.
static void fill(int* data, int blocks, int rank, unsigned salt) {
  for (int b = 0; b < blocks; ++b)
    for (int i = 0; i < k_pairs; ++i) {
      data[2 * (b * k_pairs + i)] = value_of(rank, (size_t)(b * k_pairs + i), salt);
      data[2 * (b * k_pairs + i) + 1] = -1;
    }
}

// Block `at` was received as block `block` of `rank`.
static void expect(const char* what, const int* data, int at, int rank, int block, unsigned salt) {
  bool holds = true;
  for (int i = 0; i < k_pairs; ++i)
    holds = holds && data[2 * (at * k_pairs + i) + 1] == value_of(rank, (size_t)(block * k_pairs + i), salt);
  CHECK(holds, "%s: rank %d has wrong data in block %d", what, g_rank, at);
}

// Rank `with` uses one buffer, the others have two.
static void exchange(int with) {
  const unsigned salt = (unsigned)with;
  const size_t ints = (size_t)(2 * k_pairs * g_size);
  int* one = allocate_ints(ints, -1);
  int* two = allocate_ints(ints, -1);
  int* ones = allocate_ints((size_t)g_size, 1);
  int* places = allocate_ints((size_t)g_size, 0);
  for (int r = 0; r < g_size; ++r) places[r] = r;
  int* received = g_rank == with ? one : two;

  fill(one, g_size, g_rank, salt);
  MPI_Gather(one, 1, g_even, received, 1, g_odd, with, MPI_COMM_WORLD);
  for (int r = 0; r < g_size && g_rank == with; ++r) expect("gather", received, r, r, 0, salt);
  fill(one, g_size, g_rank, salt);
  MPI_Gatherv(one, 1, g_even, received, ones, places, g_odd, with, MPI_COMM_WORLD);
  for (int r = 0; r < g_size && g_rank == with; ++r) expect("gatherv", received, r, r, 0, salt);
  fill(one, g_size, g_rank, salt);
  MPI_Scatter(one, 1, g_even, received, 1, g_odd, with, MPI_COMM_WORLD);
  expect("scatter", received, 0, with, g_rank, salt);
  fill(one, g_size, g_rank, salt);
  MPI_Scatterv(one, ones, places, g_even, received, 1, g_odd, with, MPI_COMM_WORLD);
  expect("scatterv", received, 0, with, g_rank, salt);
  fill(one, g_size, g_rank, salt);
  MPI_Allgather(one, 1, g_even, received, 1, g_odd, MPI_COMM_WORLD);
  for (int r = 0; r < g_size; ++r) expect("allgather", received, r, r, 0, salt);
  fill(one, g_size, g_rank, salt);
  MPI_Allgatherv(one, 1, g_even, received, ones, places, g_odd, MPI_COMM_WORLD);
  for (int r = 0; r < g_size; ++r) expect("allgatherv", received, r, r, 0, salt);
  fill(one, g_size, g_rank, salt);
  MPI_Alltoall(one, 1, g_even, received, 1, g_odd, MPI_COMM_WORLD);
  for (int r = 0; r < g_size; ++r) expect("alltoall", received, r, r, g_rank, salt);
  fill(one, g_size, g_rank, salt);
  MPI_Alltoallv(one, ones, places, g_even, received, ones, places, g_odd, MPI_COMM_WORLD);
  for (int r = 0; r < g_size; ++r) expect("alltoallv", received, r, r, g_rank, salt);

  free(one);
  free(two);
  free(ones);
  free(places);
}

#ifdef MPICH_VERSION
static void expect_refused(const char* what, int code) {
  int class = MPI_SUCCESS;
  MPI_Error_class(code, &class);
  CHECK(class == MPI_ERR_BUFFER, "%s: class %d on rank %d", what, class, g_rank);
}

// No rank sends anything, so that each may make its mistake alone.
static void mistakes(void) {
  int* data = allocate_ints((size_t)(4 * g_size), 0);
  int* twos = allocate_ints((size_t)g_size, 2);
  int* places = allocate_ints((size_t)g_size, 0);
  for (int r = 0; r < g_size; ++r) places[r] = 2 * r;
  int* mine = data + 2 * g_rank;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  if (g_rank == g_size - 1) {
    const int root = g_rank;
    expect_refused("gather", MPI_Gather(mine, 2, MPI_INT, data, 2, MPI_INT, root, comm));
    expect_refused("gatherv", MPI_Gatherv(mine, 2, MPI_INT, data, twos, places, MPI_INT, root, comm));
    expect_refused("scatter", MPI_Scatter(data, 2, MPI_INT, mine, 2, MPI_INT, root, comm));
    expect_refused("scatterv", MPI_Scatterv(data, twos, places, MPI_INT, mine, 2, MPI_INT, root, comm));
    expect_refused("reduce", MPI_Reduce(data, data, 2, MPI_INT, MPI_SUM, root, comm));
  }
  expect_refused("allgather", MPI_Allgather(mine, 2, MPI_INT, data, 2, MPI_INT, comm));
  expect_refused("allgatherv", MPI_Allgatherv(mine, 2, MPI_INT, data, twos, places, MPI_INT, comm));
  expect_refused("alltoall", MPI_Alltoall(data, 2, MPI_INT, data, 2, MPI_INT, comm));
  expect_refused("alltoallv", MPI_Alltoallv(data, twos, places, MPI_INT, data, twos, places, MPI_INT, comm));
  expect_refused("allreduce", MPI_Allreduce(data, data, 2, MPI_INT, MPI_SUM, comm));
  expect_refused("scan", MPI_Scan(data, data, 2, MPI_INT, MPI_SUM, comm));
  MPI_Comm_free(&comm);
  free(data);
  free(twos);
  free(places);
}
#endif

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  make_types();
  for (int with = 0; with < g_size; ++with) exchange(with);
#ifdef MPICH_VERSION
  mistakes();
#endif
  MPI_Type_free(&g_even);
  MPI_Type_free(&g_odd);
  return check_finish("aliases");
}
