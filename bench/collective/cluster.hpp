#pragma once
// The machine of the benchmark: nodes, and the rate of their links, measured in the same run.

#include <mpi.h>

#include <vector>

namespace tutti::bench {

struct Cluster {
  std::vector<int> ranks_of_node;    // number of ranks, by node; the node of rank 0 first
  double link_bytes_per_second = 0;  // one direction of one link; 0 with a single node
};

/// Collective over `comm`, natively. Nodes are what the MPI says shares memory.
/// The link rate is the best of several large one-way transfers between the first two nodes: what is
/// reachable with this MPI's own point-to-point messages, protocol headers included.
Cluster find_cluster(MPI_Comm comm);

/// Collective over MPI_COMM_WORLD, natively. What rank 0 found out alone, for all.
int status_of_rank_0(int status);

}  // namespace tutti::bench
