#pragma once
// The program's MPI as the network of a Tutti thread, used if there is no second transport.

#include <mpi.h>

#include <memory>
#include <span>

#include "transport/mpi/mpi_endpoint.hpp"
#include "transport/network.hpp"

namespace tutti::transport {

/// Uses a private communicator, which returns errors and belongs to the caller. Its endpoints share one
/// space; their tags distinguish them. Has no events. Threads besides the program's need MPI_THREAD_MULTIPLE.
class MpiNetwork final : public Network {
 public:
  explicit MpiNetwork(MPI_Comm private_comm);

  ConstBytes address() const override { return {}; }
  void set_peers(int /*own_process*/, Addresses /*addresses*/) override {}
  /// `process_of_rank`: ranks of the communicator.
  std::unique_ptr<Endpoint> make_endpoint(Space space, std::span<const int> process_of_rank) override;
  bool make_progress() override;

 private:
  const MPI_Comm comm_;
  int own_rank_ = 0;
};

}  // namespace tutti::transport
