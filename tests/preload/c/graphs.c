// Distributed graphs, created and freed again and again. Whether Open MPI 4.1 hangs in that depends on how often
// MPI_COMM_WORLD has been duplicated before, an even or an odd number of times: so Tutti must make an even number.
#include "check.h"

#include <stdlib.h>

enum { k_rounds = 40, k_most_edges = 4 };

/// Rank 0 names all edges: from every rank to the next `width` ones.
static MPI_Comm graph_of(int width, int reorder) {
  int* const sources = allocate_ints((size_t)g_size, 0);
  int* const degrees = allocate_ints((size_t)g_size, 0);
  int* const targets = allocate_ints((size_t)(g_size * k_most_edges), 0);
  int* const weights = allocate_ints((size_t)(g_size * k_most_edges), 0);
  int edges = 0;
  for (int rank = 0; rank < g_size; ++rank) {
    sources[rank] = rank;
    degrees[rank] = width;
    for (int i = 1; i <= width; ++i) {
      weights[edges] = 1 + (rank * i) % 5;
      targets[edges++] = (rank + i) % g_size;
    }
  }
  MPI_Comm graph;
  MPI_Dist_graph_create(MPI_COMM_WORLD, g_rank == 0 ? g_size : 0, sources, degrees, targets, weights,
                        MPI_INFO_NULL, reorder, &graph);
  free(sources);
  free(degrees);
  free(targets);
  free(weights);
  return graph;
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  MPI_Comm twin;  // with this one it works natively
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  for (int round = 0; round < k_rounds; ++round) {
    const int width = 1 + round % k_most_edges;
    MPI_Comm graph = graph_of(width, round % 2);
    int in = 0, out = 0, is_weighted = 0;
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &is_weighted);
    CHECK(in == width && out == width && is_weighted, "round %d: %d in, %d out", round, in, out);
    int sum = 1;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, graph);
    CHECK(sum == g_size, "round %d: %d ranks", round, sum);
    MPI_Comm_free(&graph);
  }
  MPI_Comm_free(&twin);
  return check_finish("graphs");
}
