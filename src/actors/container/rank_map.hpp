#pragma once
// The process and the node of each rank.

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.hpp"

namespace tutti::actors {

class RankMap {
 public:
  /// An address that each process publishes to all others.
  using Address = std::array<char, 32>;
  /// Collective over MPI_COMM_WORLD of the native MPI, whose ranks are those of the program. The ranks of a
  /// node are divided into as few containers of at most `most` ranks as possible, of nearly equal size.
  /// Sleeps while it waits, because the ranks of a job may share cores. `settings`:
  /// base::Settings::fingerprint(). Errors, the same on all ranks: invalid_argument if the fingerprints
  /// differ; internal with the native MPI's error.
  static base::Result<RankMap> agree(int most, uint64_t settings = 0, const Address& own_address = {});
  /// All nodes are on one machine.
  RankMap(std::span<const int32_t> node_of_rank, int most);

  int rank_count() const { return static_cast<int>(leader_.size()); }
  /// The rank whose process is the container of this rank: the lowest rank in the container.
  int leader_of(int world_rank) const { return leader_[static_cast<size_t>(world_rank)]; }
  /// The node, identified by its lowest rank.
  int node_of(int world_rank) const { return node_[static_cast<size_t>(world_rank)]; }
  /// The machine: nodes of one machine have one clock.
  int32_t machine_of(int world_rank) const { return machine_[static_cast<size_t>(world_rank)]; }
  const Address& address_of(int world_rank) const { return addresses_[static_cast<size_t>(world_rank)]; }
  /// In ascending order.
  std::vector<int> ranks_of_leader(int leader) const;
  std::vector<int> leaders() const;

 private:
  std::vector<int> leader_, node_;
  std::vector<int32_t> machine_;
  std::vector<Address> addresses_;
};

}  // namespace tutti::actors
