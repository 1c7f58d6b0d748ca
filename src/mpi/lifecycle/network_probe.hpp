#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.hpp"
#include "transport/network.hpp"

namespace tutti::mpi {

/// Tries a network: every rank sends a message to the next one, which is long enough to take the network's
/// path for long messages.
class NetworkProbe {
 public:
  NetworkProbe(transport::Network& network, MPI_Comm world, size_t count);
  /// Keeps the memory of transfers that have not ended: a peer may still reach it over the network.
  ~NetworkProbe();
  NetworkProbe(const NetworkProbe&) = delete;
  NetworkProbe& operator=(const NetworkProbe&) = delete;

  /// On all ranks at about the same time. Error: what is in the way, after some seconds at most.
  base::Status run();
  /// Collective, after run(). True when it is true on all ranks; until then, others may need this one.
  bool all_agree(bool mine);

 private:
  struct Buffers;

  base::Status await();
  size_t collect(base::Status* status);

  MPI_Comm world_;
  std::vector<int> processes_;
  std::unique_ptr<Buffers> buffers_;
  std::unique_ptr<transport::Endpoint> endpoint_;
  int rank_ = 0;
  size_t in_flight_ = 0;
};

}  // namespace tutti::mpi
