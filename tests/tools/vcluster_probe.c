/* A small MPI program for the test of the virtual cluster: says where its ranks believe they are.
 *
 *   vcluster_probe groups        prints "ranks R node_ranks N": world size, and how many ranks share
 *                                memory with each rank (-1 when that differs between ranks)
 *   vcluster_probe exit STATUS   finalizes, then returns STATUS
 *   vcluster_probe stream BYTES COUNT
 *                                rank 0 sends COUNT messages of BYTES to the last rank
 *   vcluster_probe exchange      all-to-all exchange, then finalize: every pair has an endpoint
 *   vcluster_probe wait          prints "waiting", then waits for a message that never comes
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int world_size, world_rank;

static void print_groups(void) {
  MPI_Comm node;
  int node_size, smallest, largest;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &node_size);
  MPI_Allreduce(&node_size, &smallest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&node_size, &largest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (world_rank == 0) printf("ranks %d node_ranks %d\n", world_size, smallest == largest ? smallest : -1);
  MPI_Comm_free(&node);
}

static void stream(int bytes, int count) {
  char* message = calloc(1, (size_t)bytes);
  const int last = world_size - 1;
  for (int i = 0; i < count; i++) {
    if (world_rank == 0)
      MPI_Send(message, bytes, MPI_CHAR, last, 0, MPI_COMM_WORLD);
    else if (world_rank == last)
      MPI_Recv(message, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  free(message);
}

static void exchange(void) {
  int *out = calloc((size_t)world_size, sizeof *out), *in = calloc((size_t)world_size, sizeof *in);
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
  free(out);
  free(in);
}

static void wait_forever(void) {
  char never;
  if (world_rank == 0) {
    puts("waiting");
    fflush(stdout);
  }
  MPI_Recv(&never, 1, MPI_CHAR, (world_rank + 1) % world_size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  int status = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  const char* mode = argc > 1 ? argv[1] : "";
  if (strcmp(mode, "groups") == 0)
    print_groups();
  else if (strcmp(mode, "exit") == 0 && argc == 3)
    status = atoi(argv[2]);
  else if (strcmp(mode, "stream") == 0 && argc == 4)
    stream(atoi(argv[2]), atoi(argv[3]));
  else if (strcmp(mode, "exchange") == 0)
    exchange();
  else if (strcmp(mode, "wait") == 0)
    wait_forever();
  else
    status = 2;
  MPI_Finalize();
  return status;
}
