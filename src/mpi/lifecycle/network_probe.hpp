#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.hpp"
#include "transport/network.hpp"

namespace tutti::mpi {

/// Does a network work? Every rank exchanges a message with the next one, which is long enough to be sent as
/// long ones are.
class NetworkProbe {
 public:
  NetworkProbe(transport::Network& network, MPI_Comm world, size_t count);

  /// On all ranks at about the same time. Error: what is in the way, after some seconds at most.
  base::Status run();
  /// Collective, after run(). True when it is true on all ranks; until then, others may need this one.
  bool all_agree(bool mine);

 private:
  base::Status await(size_t count);

  MPI_Comm world_;
  std::vector<int> processes_;
  std::vector<std::byte> out_, in_;
  std::unique_ptr<transport::Endpoint> endpoint_;
  int rank_ = 0;
  uint64_t deadline_ns_ = 0;
};

}  // namespace tutti::mpi
