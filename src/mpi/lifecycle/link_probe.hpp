#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>

#include "select/links.hpp"

namespace tutti::mpi {

/// Collective over `world`, of which the ranks are on several nodes: pairs of nodes exchange a few messages, and the
/// fastest one counts. What disturbs a measurement can only make it slower; a slow network is slow in every message.
/// Takes less than a millisecond on a fast network, and some 250 ms at most on a slow one, unless single messages take
/// longer. All ranks get the same.
select::Links probe_links(MPI_Comm world, std::span<const int32_t> node_of_rank);

}  // namespace tutti::mpi
