#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>

#include "select/links.hpp"

namespace tutti::mpi {

/// Collective over `world`, of which the ranks are on several nodes: pairs of nodes exchange a few messages, all pairs at
/// a time, and the fastest message counts. What disturbs a measurement can only make it slower; a network that is slow is
/// slow in every one. Takes some 250 ms at most, unless messages take longer; less than a millisecond on a fast network. All
/// ranks get the same.
select::Links probe_links(MPI_Comm world, std::span<const int32_t> node_of_rank);

}  // namespace tutti::mpi
