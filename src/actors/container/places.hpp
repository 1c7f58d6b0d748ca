#pragma once
// Which process and which node each rank is in.

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.hpp"

namespace tutti::actors {

class Places {
 public:
  /// Something that a process tells all others about itself.
  using Address = std::array<char, 32>;
  /// Collective over MPI_COMM_WORLD of the MPI below, whose ranks are those of the program: the ranks of a node are
  /// cut into as few containers of at most `most` as there can be, all about as large. Sleeps while it waits: the ranks
  /// of a job may share cores. `settings`: base::Settings::fingerprint(). Errors, the same on all ranks:
  /// invalid_argument, when those differ; internal, what the MPI says.
  static base::Result<Places> agree(int most, uint64_t settings = 0, const Address& own_address = {});
  Places(std::span<const int32_t> node_of_rank, int most);

  int rank_count() const { return static_cast<int>(leader_.size()); }
  /// The rank of the MPI below that is the container of this one: the lowest of those in it.
  int leader_of(int world_rank) const { return leader_[static_cast<size_t>(world_rank)]; }
  /// The lowest rank of its node.
  int node_of(int world_rank) const { return node_[static_cast<size_t>(world_rank)]; }
  const Address& address_of(int world_rank) const { return addresses_[static_cast<size_t>(world_rank)]; }
  /// In ascending order.
  std::vector<int> ranks_of_leader(int leader) const;
  std::vector<int> leaders() const;

 private:
  std::vector<int> leader_, node_;
  std::vector<Address> addresses_;
};

}  // namespace tutti::actors
