#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.hpp"
#include "transport/network.hpp"

namespace tutti::mpi {

/// Tries a network, and makes all its connections: every rank sends a message to every other one, and one to the next
/// that is long enough to take the network's path for long messages. A connection that is made later might find that
/// the program has meanwhile laid down, or used up, what it takes: its root, its user, its file descriptors.
class NetworkProbe {
 public:
  NetworkProbe(transport::Network& network, MPI_Comm world, size_t count);
  /// Keeps the memory of transfers that have not ended: a peer may still reach it over the network.
  ~NetworkProbe();
  NetworkProbe(const NetworkProbe&) = delete;
  NetworkProbe& operator=(const NetworkProbe&) = delete;

  /// Collective. Error, on all ranks alike: what is in the way, after some seconds at most.
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
  base::Status status_;  // what is in the way on this rank
};

}  // namespace tutti::mpi
