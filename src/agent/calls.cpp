#include "agent/calls.hpp"

#include <algorithm>

#include "agent/layout.hpp"

namespace tutti::agent {

namespace {

/// Bytes of each block; the blocks of bcast, reduce and allreduce are the whole vector.
uint64_t block_bytes_of(const algorithm::Request& request) {
  switch (request.collective) {
    case Collective::barrier:
      return 0;
    case Collective::bcast:
    case Collective::reduce:
    case Collective::allreduce:
      return request.bytes;
    case Collective::allgather:
    case Collective::gather:
    case Collective::scatter:
      return request.own_bytes;
    default:
      return request.blocks.uniform_bytes;
  }
}

}  // namespace

bool serves(const algorithm::Request& request, const topology::Topology& topology, std::string* why_not) {
  if (!is_served(request.collective))
    *why_not = "agents do not serve " + std::string(algorithm::to_string(request.collective));
  else if (topology.node_count() < 2)
    *why_not = "there is only one node";
  else if (algorithm::is_reduction(request.collective) && !request.is_predefined)
    *why_not = "the operator is the program's own";
  else
    return true;
  return false;
}

Description describe(const algorithm::Request& request, const topology::Topology& topology,
                     uint64_t area_bytes) {
  Description whole{
      .collective = request.collective, .root = request.root, .block_bytes = block_bytes_of(request)};
  const uint64_t element_bytes = combines(request.collective) ? request.element_bytes : 1;
  whole.bytes = std::min(Layout::longest_part(topology, request.collective, element_bytes, area_bytes),
                         whole.block_bytes);
  return whole;
}

bool fits(const Description& whole) {
  return whole.bytes > 0 || whole.block_bytes == 0;
}

}  // namespace tutti::agent
