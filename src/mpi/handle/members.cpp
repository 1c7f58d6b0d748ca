#include "mpi/handle/members.hpp"

#include <algorithm>
#include <numeric>

namespace tutti::mpi {

bool find_world_ranks(MPI_Comm comm, GroupOf group_of, std::vector<int>* world_ranks) {
  MPI_Group members = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
  int size = 0;
  group_of(comm, &members);
  PMPI_Group_size(members, &size);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  std::vector<int> ranks(static_cast<size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  world_ranks->assign(static_cast<size_t>(size), MPI_UNDEFINED);
  PMPI_Group_translate_ranks(members, size, ranks.data(), world, world_ranks->data());
  PMPI_Group_free(&members);
  PMPI_Group_free(&world);
  return std::find(world_ranks->begin(), world_ranks->end(), MPI_UNDEFINED) == world_ranks->end();
}

topology::Topology topology_of(std::span<const int> world_ranks,
                               std::span<const int32_t> node_of_world_rank) {
  std::vector<int32_t> nodes;
  nodes.reserve(world_ranks.size());
  for (const int rank : world_ranks) nodes.push_back(node_of_world_rank[static_cast<size_t>(rank)]);
  return topology::Topology::from_node_of_rank(nodes).value();
}

}  // namespace tutti::mpi
