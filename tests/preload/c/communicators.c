// Communicators made and freed by every constructor, thousands of them, each used for a few collectives. None
// may leak an identifier: both MPIs have a few thousand at most.
#include "check.h"

#include <stdlib.h>

static void use(MPI_Comm comm, const char* constructor) {
  if (comm == MPI_COMM_NULL) return;
  int rank;
  int size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int root = size - 1;
  int data = rank == root ? 4711 : 0;
  MPI_Bcast(&data, 1, MPI_INT, root, comm);
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(data == 4711 && sum == size * (size - 1) / 2, "collectives on a communicator of %s", constructor);
  MPI_Barrier(comm);
}

static void use_and_free(MPI_Comm comm, const char* constructor) {
  use(comm, constructor);
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

static void from_groups(void) {
  MPI_Group world;
  MPI_Group half;
  MPI_Comm comm;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int last = (g_size - 1) / 2;
  int range[1][3] = {{last, 0, -1}};  // the lower half in reverse order
  MPI_Group_range_incl(world, 1, range, &half);
  MPI_Comm_create(MPI_COMM_WORLD, half, &comm);
  use_and_free(comm, "MPI_Comm_create");
  if (g_rank <= last) {
    MPI_Comm_create_group(MPI_COMM_WORLD, half, 3, &comm);
    use_and_free(comm, "MPI_Comm_create_group");
  }
  MPI_Group_free(&half);
  MPI_Group_free(&world);
}

static void from_topologies(void) {
  int extents[2] = {0, 0};
  const int periods[2] = {1, 0};
  MPI_Comm comm;
  MPI_Dims_create(g_size, 2, extents);
  MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periods, 1, &comm);
  if (comm != MPI_COMM_NULL) {
    MPI_Comm row;
    const int kept[2] = {0, 1};
    MPI_Cart_sub(comm, kept, &row);
    use_and_free(row, "MPI_Cart_sub");
  }
  use_and_free(comm, "MPI_Cart_create");

  const int left = (g_rank + g_size - 1) % g_size;
  const int right = (g_rank + 1) % g_size;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &comm);
  int from_left = -1;
  MPI_Neighbor_allgather(&g_rank, 1, MPI_INT, &from_left, 1, MPI_INT, comm);
  CHECK(from_left == left, "neighbour collective got %d", from_left);
  use_and_free(comm, "MPI_Dist_graph_create_adjacent");
}

static void from_idup(void) {
  MPI_Comm first;
  MPI_Comm second;
  MPI_Request requests[2];
  MPI_Comm_idup(MPI_COMM_WORLD, &first, &requests[0]);
  MPI_Comm_idup(MPI_COMM_WORLD, &second, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  use_and_free(second, "MPI_Comm_idup");
  use_and_free(first, "MPI_Comm_idup");
}

// The calls that are new in MPI 4.0.
static void from_new_calls(void) {
#if MPI_VERSION >= 4
  MPI_Comm comm;
  MPI_Request request;
  MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  use_and_free(comm, "MPI_Comm_idup_with_info");
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, g_rank, MPI_INFO_NULL, &comm);
  CHECK(comm == MPI_COMM_NULL, "a part of no kind of hardware");
#endif
}

static void nested(int depth, MPI_Comm parent) {
  MPI_Comm child;
  int rank;
  MPI_Comm_rank(parent, &rank);
  MPI_Comm_split(parent, rank % 2, -rank, &child);
  use(child, "nested MPI_Comm_split");
  if (depth > 1) nested(depth - 1, child);
  MPI_Comm_free(&child);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 100;
  for (int i = 0; i < rounds; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use_and_free(comm, "MPI_Comm_dup");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
    use_and_free(comm, "MPI_Comm_dup_with_info");
    MPI_Comm_split(MPI_COMM_WORLD, g_rank % 3 == 2 ? MPI_UNDEFINED : g_rank % 3, g_size - g_rank, &comm);
    use_and_free(comm, "MPI_Comm_split");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, g_rank, MPI_INFO_NULL, &comm);
    use_and_free(comm, "MPI_Comm_split_type");
    from_groups();
    from_topologies();
    from_idup();
    nested(3, MPI_COMM_WORLD);
  }
  from_new_calls();
  return check_finish("communicators");
}
