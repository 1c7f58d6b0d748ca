#pragma once
// Selects the leader of a node's ranks in an operation: the competition of paper 000, figures 9 and 10
// (get_coll_request_ptr).

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "base/status.hpp"

namespace tutti::collective {

struct Arrival {
  uint32_t leader = 0;  // member index
  bool is_leader = false;
};

/// The operations of one communicator on one node that not all of its ranks have reached. Any thread.
class LeaderQueue {
 public:
  explicit LeaderQueue(uint32_t member_count) : member_count_(member_count) {}

  /// The paper's critical section: `member` has arrived at operation `sequence` of the communicator; the first one to
  /// arrive leads. Every member arrives once at every operation that has leaders.
  ///
  /// `forced_leader` is the leader regardless of the order of arrival: the root, on its node. All members pass the same
  /// value.
  ///
  /// Errors: invalid_argument if the members call different collectives or force different leaders.
  base::Result<Arrival> arrive(uint32_t member, uint8_t collective, uint32_t sequence,
                               std::optional<uint32_t> forced_leader);

 private:
  struct Open {
    uint8_t collective = 0;
    uint32_t leader = 0, arrived = 0;
  };

  const uint32_t member_count_;
  std::mutex mutex_;
  std::map<uint32_t, Open> open_;  // by sequence number
};

}  // namespace tutti::collective
