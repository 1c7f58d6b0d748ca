#pragma once
// The calls of a recorded run, and the algorithms to simulate them with.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "algorithm/algorithm.hpp"
#include "algorithm/uniform_request.hpp"
#include "base/status.hpp"
#include "interconnect/network_topology.hpp"
#include "simulate/machine.hpp"
#include "topology/topology.hpp"

namespace tutti::simulate {

/// A blocking collective call with the data of all ranks of its communicator.
struct RecordedCall {
  algorithm::Collective collective = algorithm::Collective::barrier;
  uint64_t bytes = 0;                 // of the message, the vector or the block
  schedule::Rank root = 0;            // rank of the communicator
  std::span<const uint32_t> members;  // ranks of the run, by rank of the communicator
  std::string choice;                 // what served it; not in the catalogue: the native MPI
  std::span<const uint64_t> gaps_ns;  // by member: since the end of its previous call, or since the run began
  std::span<const uint64_t> inside_ns;
  bool is_size_known = true;  // if false, the recorded time is used
};

algorithm::UniformCall uniform_call(const RecordedCall& call, schedule::Rank ranks);

/// The algorithm of the catalogue with which the call is simulated on the ranks of `topology`: `wanted`, otherwise the
/// one that served it, if they apply; otherwise the fastest one on the machine for simultaneous arrivals, because the
/// algorithm of the native MPI is not known. Errors: not_supported: none applies; otherwise as measure().
base::Result<algorithm::Choice> choice_again(const RecordedCall& call,
                                             const std::optional<algorithm::Choice>& wanted,
                                             const topology::Topology& topology, const Machine& machine,
                                             const interconnect::NetworkTopology* links);

}  // namespace tutti::simulate
