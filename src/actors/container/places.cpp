#include "actors/container/places.hpp"

#include <cstdint>

namespace tutti::actors {

Places Places::agree(int most) {
  int rank = 0, count = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &count);
  MPI_Comm node = MPI_COMM_NULL;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  int index = 0, size = 0;
  PMPI_Comm_rank(node, &index);
  PMPI_Comm_size(node, &size);
  std::vector<int> on_node(static_cast<size_t>(size));
  PMPI_Allgather(&rank, 1, MPI_INT, on_node.data(), 1, MPI_INT, node);
  PMPI_Comm_free(&node);

  const int parts = (size + most - 1) / most;
  int first = 0;  // of the part that this rank is in: parts differ by at most one
  for (int part = 0; part < parts; ++part) {
    const int end = static_cast<int>(static_cast<int64_t>(size) * (part + 1) / parts);
    if (index < end) break;
    first = end;
  }
  const int mine[] = {on_node[static_cast<size_t>(first)], on_node[0]};
  std::vector<int> all(static_cast<size_t>(count) * 2);
  PMPI_Allgather(mine, 2, MPI_INT, all.data(), 2, MPI_INT, MPI_COMM_WORLD);
  Places places;
  for (size_t r = 0; r < static_cast<size_t>(count); ++r) {
    places.leader_.push_back(all[2 * r]);
    places.node_.push_back(all[2 * r + 1]);
  }
  return places;
}

std::vector<int> Places::ranks_of_leader(int leader) const {
  std::vector<int> ranks;
  for (int r = 0; r < rank_count(); ++r)
    if (leader_of(r) == leader) ranks.push_back(r);
  return ranks;
}

std::vector<int> Places::leaders() const {
  std::vector<int> found;
  for (int r = 0; r < rank_count(); ++r)
    if (leader_of(r) == r) found.push_back(r);
  return found;
}

}  // namespace tutti::actors
