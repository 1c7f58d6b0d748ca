#pragma once
// Ranks as threads of one process: the network of tests. Long messages wait for their receiver (rendezvous),
// few messages are buffered, and a full buffer refuses sends (back-pressure).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/status.hpp"
#include "transport/endpoint.hpp"

namespace tutti::transport {

struct LoopbackLimits {
  /// Longest message that is buffered; the send of a longer one completes when the receiver has copied it.
  size_t eager_bytes = 4096;
  /// Number of messages of one sender and tag that may wait at a receiver; further sends get try_again().
  size_t waiting_count = 4;
};

/// The network and the endpoints of all its ranks. It must outlive every thread that uses an endpoint. Each
/// endpoint is used by one thread at a time; several endpoints may share a thread.
///
/// Messages to Peer::rank and to Peer::local are separate: each matches only receives of its own kind. A
/// message to Peer::node(n) waits at node n for the rank that leads it: see lead(). Sends copy under a lock
/// of the destination; nothing is allocated once the pools have reached their maximum size.
class LoopbackFabric {
 public:
  /// `node_of_rank[r]`: node numbers from 0; the node count is the largest plus one.
  explicit LoopbackFabric(std::span<const int32_t> node_of_rank, LoopbackLimits limits = {});
  /// All ranks on one node.
  explicit LoopbackFabric(schedule::Rank rank_count, LoopbackLimits limits = {});
  ~LoopbackFabric();
  LoopbackFabric(const LoopbackFabric&) = delete;
  LoopbackFabric& operator=(const LoopbackFabric&) = delete;

  Endpoint& endpoint(schedule::Rank rank);

  /// `rank` leads its node in operations with this tag: it sends as the node and receives the node's
  /// messages. Error: invalid_argument if another rank leads already.
  base::Status lead(schedule::Rank rank, Tag tag);
  /// The operation has ended; another rank may lead the tag.
  void resign(schedule::Rank rank, Tag tag);

  /// Cuts all connections: every transfer, in flight or later, ends with Code::system and ECONNRESET. Any
  /// thread.
  void fail();

  /// Number of unmatched messages and receives. 0 after every collective that has ended on all ranks.
  size_t waiting_count() const;

 private:
  class Fabric;
  std::unique_ptr<Fabric> fabric_;
};

}  // namespace tutti::transport
