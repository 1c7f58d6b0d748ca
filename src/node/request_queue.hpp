#pragma once
// Selects the leader of a collective on this node: the competition of paper 000, figures 9 and 10
// (get_coll_request_ptr).
//
// All ranks of a node that belong to a communicator share one ring of requests. The first process to arrive
// creates the request and leads; the others find it. The paper's critical section around "find or create" is
// one compare-and-swap here, so that a process that is descheduled in it cannot block the others.

#include <cstdint>
#include <optional>

#include "base/status.hpp"
#include "node/leader_queue.hpp"
#include "node/region.hpp"

namespace tutti::node {

/// One rank's access to the queue. Several threads may use it, although the operations of a communicator are
/// ordered anyway. The region must outlive it.
class RequestQueue final : public LeaderQueue {
 public:
  /// Maximum number of open requests: how far a process can run ahead of the slowest one of its node.
  static constexpr uint32_t k_depth = RegionLayout::k_request_count;

  explicit RequestQueue(const Region& region);

  /// try_again(): the slowest member is k_depth operations behind. The policy `agent` forces the home
  /// process.
  base::Result<Arrival> arrive(uint8_t collective, uint32_t sequence,
                               std::optional<uint32_t> forced_leader = std::nullopt) override;

 private:
  const Region& region_;
};

}  // namespace tutti::node
