#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>

#include "select/links.hpp"

namespace tutti::mpi {

/// Measures the links. Collective over `world`, whose ranks are on several nodes: pairs of nodes exchange a few
/// messages, and the fastest one counts, because disturbances only slow a message down, whereas a slow network slows
/// every message. Takes less than 1 ms on a fast network and at most about 250 ms on a slow one, unless a single
/// message takes longer. All ranks get the same result.
select::Links probe_links(MPI_Comm world, std::span<const int32_t> node_of_rank);

}  // namespace tutti::mpi
