#pragma once
// Checks that the descriptors of all nodes match. Pure; any thread.

#include <span>

#include "base/status.hpp"
#include "offload/descriptor.hpp"

namespace tutti::offload {

/// Ok if `all[r]` is a valid descriptor of rank r, all belong to the same collective, each notification that
/// a node sends is expected by its destination in the same round, and each expected one is sent. Then no NIC
/// waits forever: notifications of round r depend only on rounds before r. The schedule verifier checks on
/// lower() that the rounds are a barrier, or compute the right value. Error: invalid_argument, one line that
/// names the first faulty node. O(all messages).
base::Status check_consistency(std::span<const Descriptor> all);

}  // namespace tutti::offload
