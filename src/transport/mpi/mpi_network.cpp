#include "transport/mpi/mpi_network.hpp"

namespace tutti::transport {

MpiNetwork::MpiNetwork(MPI_Comm private_comm) : comm_(private_comm) {
  PMPI_Comm_rank(comm_, &own_rank_);
}

std::unique_ptr<Endpoint> MpiNetwork::make_endpoint(Space, std::span<const int> process_of_rank) {
  return std::make_unique<MpiEndpoint>(comm_, process_of_rank);
}

bool MpiNetwork::make_progress() {
  make_mpi_progress(comm_, own_rank_);
  return false;
}

}  // namespace tutti::transport
