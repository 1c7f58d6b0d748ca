#pragma once
// Selects the leader of a node's ranks in an operation: the competition of paper 000, figures 9 and 10
// (get_coll_request_ptr).

#include <cstdint>
#include <optional>

#include "base/status.hpp"

namespace tutti::node {

struct Arrival {
  uint32_t leader = 0;  // member index
  bool is_leader = false;
};

/// One rank's view of its node.
class LeaderQueue {
 public:
  /// Records that this rank has arrived at operation `sequence` of the communicator, counted from 0 with
  /// wrap-around. Every member arrives once at every operation that has leaders, in order.
  ///
  /// `forced_leader` is the leader regardless of the order of arrival: the root, on its node. All members
  /// pass the same value.
  ///
  /// Errors: transport::try_again() if the slowest member is too far behind; invalid_argument if the members
  /// call different collectives or force different leaders; internal for a sequence out of order.
  virtual base::Result<Arrival> arrive(uint8_t collective, uint32_t sequence,
                                       std::optional<uint32_t> forced_leader) = 0;

 protected:
  ~LeaderQueue() = default;
};

}  // namespace tutti::node
