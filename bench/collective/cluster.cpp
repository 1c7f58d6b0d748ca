#include "bench/collective/cluster.hpp"

#include <algorithm>

namespace tutti::bench {

namespace {

constexpr int k_transfer_bytes = 8 << 20;
constexpr int k_transfers = 5;
constexpr int k_tag = 1;

/// Lowest rank of each rank's node, by rank.
std::vector<int> node_leaders(MPI_Comm comm, int rank, int size) {
  MPI_Comm node;
  PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  int leader = rank;
  PMPI_Bcast(&leader, 1, MPI_INT, 0, node);
  PMPI_Comm_free(&node);
  std::vector<int> leaders(static_cast<size_t>(size));
  PMPI_Allgather(&leader, 1, MPI_INT, leaders.data(), 1, MPI_INT, comm);
  return leaders;
}

/// Seconds of the fastest one-way transfer from rank 0 to `other`, answered by an empty message.
double fastest_transfer(MPI_Comm comm, int rank, int other) {
  std::vector<char> data(k_transfer_bytes);
  double best = 1e30;
  for (int i = 0; i <= k_transfers; ++i) {
    PMPI_Barrier(comm);
    const double start = PMPI_Wtime();
    if (rank == 0) {
      PMPI_Send(data.data(), k_transfer_bytes, MPI_BYTE, other, k_tag, comm);
      PMPI_Recv(nullptr, 0, MPI_BYTE, other, k_tag, comm, MPI_STATUS_IGNORE);
      if (i > 0) best = std::min(best, PMPI_Wtime() - start);  // the first warms connections up
    } else if (rank == other) {
      PMPI_Recv(data.data(), k_transfer_bytes, MPI_BYTE, 0, k_tag, comm, MPI_STATUS_IGNORE);
      PMPI_Send(nullptr, 0, MPI_BYTE, 0, k_tag, comm);
    }
  }
  return best;
}

}  // namespace

Cluster find_cluster(MPI_Comm comm) {
  int rank = 0, size = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  const std::vector<int> leaders = node_leaders(comm, rank, size);
  Cluster cluster;
  int other = -1;  // leader of the second node
  for (int r = 0; r < size; ++r) {
    const int leader = leaders[static_cast<size_t>(r)];
    if (leader != r) continue;
    if (r != 0 && other < 0) other = r;
    cluster.ranks_of_node.push_back(static_cast<int>(std::count(leaders.begin(), leaders.end(), r)));
  }
  if (other > 0) {
    cluster.link_bytes_per_second = k_transfer_bytes / fastest_transfer(comm, rank, other);
    PMPI_Bcast(&cluster.link_bytes_per_second, 1, MPI_DOUBLE, 0, comm);
  }
  return cluster;
}

int status_of_rank_0(int status) {
  PMPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return status;
}

}  // namespace tutti::bench
