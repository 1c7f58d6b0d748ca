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
#include "node/region.hpp"

namespace tutti::node {

struct Arrival {
  uint32_t leader = 0;  // member index in the region
  bool is_leader = false;
};

/// One rank's view; safe to use from several threads, though the operations of a communicator are ordered
/// anyway. The region outlives it.
class RequestQueue {
 public:
  /// Requests that may be open at a time: how far a process can run ahead of the slowest one of its node.
  static constexpr uint32_t k_depth = RegionLayout::k_request_count;

  explicit RequestQueue(const Region& region);

  /// This rank has arrived at operation `sequence` of the communicator, counted from the region's
  /// counter_start (0) and wrapping; every member arrives at every operation once, in order.
  ///
  /// `forced_leader` names the leader regardless of the order of arrival: the root, on its node; the home
  /// process under the policy `engine`. All members name the same one.
  ///
  /// Errors: transport::try_again() when the slowest member is k_depth operations behind; invalid_argument
  /// when the members call different collectives or force different leaders; internal for a sequence out of
  /// order.
  base::Result<Arrival> arrive(uint8_t collective, uint32_t sequence,
                               std::optional<uint32_t> forced_leader = std::nullopt);

 private:
  const Region& region_;
};

}  // namespace tutti::node
