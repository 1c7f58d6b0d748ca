#pragma once
// The container, as this rank knows it.

#include "actors/loader/guest_host.hpp"

namespace tutti::actors {

/// There from the guest's constructor on, which comes before all others.
const GuestHost& own_host();

}  // namespace tutti::actors
