#pragma once
// Chooses the leader of a collective on this node: the competition of paper 000, figures 9 and 10
// (get_coll_request_ptr).
//
// All ranks of a node that belong to a communicator share one ring of requests. The first process to come
// enters the request and leads; the others find it. The paper's critical section around "find or create" is
// one compare-and-swap here, so that no process can stop the others by being descheduled inside.

#include <cstdint>
#include <optional>

#include "base/status.hpp"
#include "node/leader_queue.hpp"
#include "node/region.hpp"

namespace tutti::node {

/// One rank's view; safe to use from several threads, though the operations of a communicator are ordered
/// anyway. The region outlives it.
class RequestQueue final : public LeaderQueue {
 public:
  /// Requests that may be open at a time: how far a process can run ahead of the slowest one of its node.
  static constexpr uint32_t k_depth = RegionLayout::k_request_count;

  explicit RequestQueue(const Region& region);

  /// try_again(): the slowest member is k_depth operations behind. The policy `agent` forces the home process.
  base::Result<Arrival> arrive(uint8_t collective, uint32_t sequence,
                               std::optional<uint32_t> forced_leader = std::nullopt) override;

 private:
  const Region& region_;
};

}  // namespace tutti::node
