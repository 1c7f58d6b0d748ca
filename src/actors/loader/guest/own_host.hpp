#pragma once
// The container's interface for this rank.

#include "actors/loader/guest_host.hpp"

namespace tutti::actors {

/// Valid from the guest's constructor on, which runs before all others.
const GuestHost& own_host();

}  // namespace tutti::actors
