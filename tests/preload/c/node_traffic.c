// Counts the bytes that the first rank's node sends while its ranks broadcast: each message crosses the wire once for
// every other node. Run where a node has its own network interfaces (tools/vcluster).
//
//   node_traffic NODES

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { BYTES = 4 << 20, BROADCASTS = 8 };

// Of this node, over all interfaces but the local one.
static double sent_bytes(void) {
  double sum = 0;
  char line[512], name[64];
  FILE* file = fopen("/proc/net/dev", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    double received, sent, skipped[7];
    char* const colon = strchr(line, ':');
    if (colon == NULL || sscanf(line, " %63[^:]", name) != 1 || strcmp(name, "lo") == 0) continue;
    if (sscanf(colon + 1, "%lf%lf%lf%lf%lf%lf%lf%lf%lf", &received, &skipped[0], &skipped[1], &skipped[2],
               &skipped[3], &skipped[4], &skipped[5], &skipped[6], &sent) == 9)
      sum += sent;
  }
  if (file != NULL) fclose(file);
  return sum;
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  const int other_nodes = argc > 1 ? atoi(argv[1]) - 1 : 1;
  char* const data = allocate(BYTES);
  for (int root = 0; root < 4 && root < g_size; root += 3) {
    MPI_Bcast(data, BYTES, MPI_CHAR, root, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    const double before = sent_bytes();
    for (int i = 0; i < BROADCASTS; ++i) {
      if (g_rank == root) memset(data, i + root, BYTES);
      MPI_Bcast(data, BYTES, MPI_CHAR, root, MPI_COMM_WORLD);
      CHECK(data[0] == i + root && data[BYTES - 1] == i + root, "root %d, broadcast %d", root, i);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (g_rank == 0) {
      const double copies = (sent_bytes() - before) / BYTES / BROADCASTS;
      CHECK(copies > 0.95 * other_nodes && copies < 1.2 * other_nodes,
            "root %d: %.2f copies of each message crossed the wire to %d nodes", root, copies, other_nodes);
    }
  }
  free(data);
  return check_finish("node_traffic");
}
