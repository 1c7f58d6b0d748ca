#pragma once
// Whether the descriptors of all nodes fit each other. Pure; any thread.

#include <span>

#include "base/status.hpp"
#include "offload/descriptor.hpp"

namespace tutti::offload {

/// Ok when `all[r]` is a sound descriptor of rank r, all are of the same collective, and every notification
/// that one sends is one that its destination waits for in the same round, and the reverse. Then no NIC waits
/// for ever: notifications of round r depend only on rounds before r. The schedule verifier checks on lower()
/// that the rounds are a barrier, or compute the right value. Error: invalid_argument, one line that names
/// the first node at fault. O(all messages).
base::Status check_consistency(std::span<const Descriptor> all);

}  // namespace tutti::offload
