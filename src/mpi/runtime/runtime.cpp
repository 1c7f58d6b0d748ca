#include "mpi/runtime/runtime.hpp"

#include "base/standard_error.hpp"
#include "transport/mpi/mpi_endpoint.hpp"

namespace tutti::mpi {

std::atomic<Runtime*> Runtime::instance_{nullptr};
std::atomic<Communicator*> Runtime::world_{nullptr};
bool Runtime::has_been_asked_ = false;

Communicator* served_by_table(MPI_Comm comm) {
  Runtime* const runtime = Runtime::get();
  return runtime == nullptr ? nullptr : runtime->communicators().find(comm);
}

void Runtime::log(const std::string& line) const {
  if (world_rank_ == 0) base::log(line);
}

void Runtime::log_verbose(const std::string& line) const {
  if (is_verbose_) log(line);
}

std::unique_ptr<transport::Endpoint> Runtime::make_endpoint(transport::Space space,
                                                            std::span<const int> world_ranks) {
  if (ucx_network_ != nullptr) return ucx_network_->make_endpoint(space, world_ranks);
  const bool is_agreement = space == transport::Space::agreements;
  return std::make_unique<transport::MpiEndpoint>(is_agreement ? agreement_comm_ : private_comm_,
                                                  world_ranks);
}

void Runtime::remember_sites(const collective::CallSiteTable& sites, int rank) {
  results_.add(sites, is_reporting_ && world_rank_ == 0 ? &report_ : nullptr, rank);
}

}  // namespace tutti::mpi
