#pragma once
// Who leads the ranks of a node in an operation: the competition of paper 000, figures 9 and 10 (get_coll_request_ptr).

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
  /// This rank has arrived at operation `sequence` of the communicator, counted from 0 and wrapping; every member
  /// arrives at every operation that has leaders once, in order.
  ///
  /// `forced_leader` names the leader regardless of the order of arrival: the root, on its node. All members name the
  /// same one.
  ///
  /// Errors: transport::try_again() where the slowest member is too far behind; invalid_argument when the members call
  /// different collectives or force different leaders; internal for a sequence out of order.
  virtual base::Result<Arrival> arrive(uint8_t collective, uint32_t sequence,
                                       std::optional<uint32_t> forced_leader) = 0;

 protected:
  ~LeaderQueue() = default;
};

}  // namespace tutti::node
