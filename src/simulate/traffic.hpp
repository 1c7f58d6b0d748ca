#pragma once
// Traffic of a collective on the links of a network, without times.

#include <cstdint>
#include <span>

#include "interconnect/network_topology.hpp"
#include "schedule/schedule.hpp"
#include "topology/topology.hpp"

namespace tutti::simulate {

struct Traffic {
  uint64_t messages = 0, bytes = 0;  // between nodes
  uint64_t local_messages = 0, local_bytes = 0;
  uint64_t link_bytes = 0;          // counted for every cable between routers that a byte crosses
  uint64_t global_bytes = 0;        // likewise over cables with NetworkTopology::is_global()
  uint64_t busiest_link_bytes = 0;  // maximum of one cable between routers, in one direction
};

/// `every_rank`: the schedules of all ranks, in rank order. `place_of_node`: endpoint of `links` for each node of
/// `topology`. Messages to nodes (leader policy `first`) go to the leader that `topology` names.
Traffic traffic_of(std::span<const schedule::Schedule> every_rank, const topology::Topology& topology,
                   std::span<const uint32_t> place_of_node, const interconnect::NetworkTopology& links);

}  // namespace tutti::simulate
