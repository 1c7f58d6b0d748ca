#pragma once
// Ranks as threads of one process: the network of tests. Long messages wait for their receiver (rendezvous), little is
// buffered, and a full buffer refuses (back-pressure).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/status.hpp"
#include "transport/endpoint.hpp"

namespace tutti::transport {

struct LoopbackLimits {
  /// Longest message that is buffered; longer ones end at the sender when the receiver has taken them.
  size_t eager_bytes = 4096;
  /// Messages of one sender and tag that may wait at a receiver; further sends get try_again().
  size_t waiting_count = 4;
};

/// The network, and the endpoints of all its ranks. It outlives every thread that uses an endpoint.
/// Each endpoint is used by one thread at a time; several endpoints may share a thread.
///
/// Messages to Peer::rank and to Peer::local are kept apart: each meets only receives of its own kind. A
/// message to Peer::node(n) waits at node n for the rank that leads it: see lead(). Sends copy under a lock
/// of the destination; once the pools are warm nothing is allocated.
class LoopbackFabric {
 public:
  /// `node_of_rank[r]`: any node numbers from 0; their count is the largest plus one.
  explicit LoopbackFabric(std::span<const int32_t> node_of_rank, LoopbackLimits limits = {});
  /// All ranks on one node.
  explicit LoopbackFabric(schedule::Rank rank_count, LoopbackLimits limits = {});
  ~LoopbackFabric();
  LoopbackFabric(const LoopbackFabric&) = delete;
  LoopbackFabric& operator=(const LoopbackFabric&) = delete;

  Endpoint& endpoint(schedule::Rank rank);

  /// `rank` leads its node in operations with this tag: it sends in the node's name and takes what comes for
  /// the node. Error: invalid_argument when another rank leads already.
  base::Status lead(schedule::Rank rank, Tag tag);
  /// The operation is over; the tag may be led by another rank.
  void resign(schedule::Rank rank, Tag tag);

  /// Cuts all connections: every transfer in flight, and every later one, ends with Code::system and
  /// ECONNRESET. Any thread.
  void fail();

  /// Messages and receives that have not met. 0 after every collective that is over on all ranks.
  size_t waiting_count() const;

 private:
  class Fabric;
  std::unique_ptr<Fabric> fabric_;
};

}  // namespace tutti::transport
