#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.hpp"
#include "transport/network.hpp"

namespace tutti::mpi {

/// Tests a network and makes all its connections: every rank sends a short message to every other one, and to the next
/// rank one that is long enough to take the network's path for long messages. A later connection might fail, because
/// the program has meanwhile dropped privileges, changed its user, or used up its file descriptors.
class NetworkProbe {
 public:
  NetworkProbe(transport::Network& network, MPI_Comm world, size_t count);
  /// Does not free the memory of transfers that have not ended, because a peer may still access it over the network.
  ~NetworkProbe();
  NetworkProbe(const NetworkProbe&) = delete;
  NetworkProbe& operator=(const NetworkProbe&) = delete;

  /// Collective. Error, on all ranks or none, after some seconds at most: the obstacle.
  base::Status run();

 private:
  struct Buffers;
  enum class State : int { reached = 0, waiting = 1, failed = 2 };

  base::Status post();
  base::Status post_to_all();
  void look();
  State state() const;
  State worst_of_all(State mine);
  size_t collect();
  bool is_intact() const;

  MPI_Comm world_;
  std::vector<int> processes_;
  std::unique_ptr<Buffers> buffers_;
  std::unique_ptr<transport::Endpoint> endpoint_;
  int rank_ = 0;
  size_t in_flight_ = 0;
  base::Status status_;  // the obstacle on this rank
};

}  // namespace tutti::mpi
