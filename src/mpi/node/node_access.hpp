#pragma once
// Shared memory with the other ranks of the node, and the part of it that belongs to one communicator.

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/settings.hpp"
#include "base/status.hpp"
#include "engine/engine.hpp"
#include "node/arena.hpp"
#include "node/doorbell.hpp"
#include "node/local_endpoint.hpp"
#include "node/one_copy.hpp"
#include "node/region.hpp"
#include "node/region_memory.hpp"
#include "topology/topology.hpp"

namespace tutti::mpi {

/// The arena of this node. Empty if nothing is shared: messages to ranks of the node then use the network endpoint.
class NodeSharedMemory {
 public:
  /// Collective over `world`. The outcome is the same on all ranks: if one node cannot share memory, none does, and
  /// every rank gets its own reason or a general one. It is no error if nothing is to be shared (a setting, or one rank
  /// on every node).
  base::Status set_up(MPI_Comm world, std::span<const int32_t> node_of_world_rank,
                      const base::Settings& settings);

  const node::Arena* arena() const { return arena_.get(); }
  node::OneCopy* one_copy() { return one_copy_.get(); }
  /// This rank's number among the ranks of the job on this node.
  uint32_t process() const { return process_; }

 private:
  std::unique_ptr<node::Arena> arena_;
  std::unique_ptr<node::OneCopy> one_copy_;
  uint32_t process_ = 0;
};

/// Slot::node of a rank that is alone on its node: private memory of any size.
class PrivateNodeMemory final : public engine::NodeMemory {
 public:
  void reserve(uint64_t bytes);
  std::span<std::byte> memory() override { return bytes_; }
  bool may_write() override { return true; }
  void end_operation() override {}

 private:
  std::vector<std::byte> bytes_;
};

/// One communicator's connections inside its node. Used by one thread at a time.
class NodeEndpoints {
 public:
  /// Never waits for another rank. `world_ranks[r]`: rank of r in MPI_COMM_WORLD.
  NodeEndpoints(NodeSharedMemory& shared_memory, uint32_t communicator_id, const topology::Topology& topology,
                int rank, std::span<const int> world_ranks);
  NodeEndpoints(const NodeEndpoints&) = delete;
  NodeEndpoints& operator=(const NodeEndpoints&) = delete;

  /// Bytes of node memory that one operation may use here. The communicator's ranks agree on the lowest.
  uint64_t operation_bytes() const;

  /// The ports of this rank, including `network`. Called once, before the first operation.
  engine::Ports ports(transport::Endpoint& network);
  /// Before every operation: it will use `node_bytes` of node memory.
  void prepare(uint64_t node_bytes) {
    if (members_.size() < 2) private_memory_.reserve(node_bytes);
  }

 private:
  NodeSharedMemory& shared_memory_;
  std::vector<topology::Rank> members_;  // the communicator's ranks on this node
  node::Region region_;
  std::optional<node::LocalEndpoint> endpoint_;
  std::optional<node::RegionMemory> memory_;
  std::optional<node::Doorbell> bell_;
  PrivateNodeMemory private_memory_;
};

}  // namespace tutti::mpi
