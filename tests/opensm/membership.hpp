#pragma once
// Joining and leaving multicast groups at the subnet administrator, for any port of the subnet (proxy joins).

#include <vector>

#include "fabric/groups.hpp"
#include "port.hpp"

namespace tutti::opensm_test {

/// One port that joins or leaves a group.
struct Change {
  fabric::Mgid mgid;
  uint64_t port_guid;
};

struct Answer {
  bool is_granted = false;
  uint16_t mlid = 0;  // of a join that was granted
};

/// Sends all requests, at most `window` of them unanswered, and returns the answers in the same order.
/// Errors: system; not_found: no answer for 20 seconds.
base::Result<std::vector<Answer>> join(Port& port, const std::vector<Change>& changes, unsigned window);
base::Result<std::vector<Answer>> leave(Port& port, const std::vector<Change>& changes, unsigned window);

}  // namespace tutti::opensm_test
