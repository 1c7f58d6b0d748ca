#pragma once
// The calls of a recorded run, as they are made again.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "algorithm/algorithm.hpp"
#include "algorithm/uniform_request.hpp"
#include "base/status.hpp"
#include "interconnect/topology.hpp"
#include "simulate/machine.hpp"
#include "topology/topology.hpp"

namespace tutti::simulate {

/// A blocking collective call as all ranks of its communicator made it.
struct RecordedCall {
  algorithm::Collective collective = algorithm::Collective::barrier;
  uint64_t bytes = 0;                 // of the message, the vector or the block
  schedule::Rank root = 0;            // rank of the communicator
  std::span<const uint32_t> members;  // ranks of the run, by rank of the communicator
  std::string choice;                 // what served it; nothing of the catalogue: the native MPI
  std::span<const uint64_t> gaps_ns;  // by member: since it left its call before, or since the run began
  std::span<const uint64_t> inside_ns;
  bool is_size_known = true;  // otherwise it takes the time it took
};

algorithm::UniformCall uniform_call(const RecordedCall& call, schedule::Rank ranks);

/// The algorithm of the catalogue that makes it again, on the ranks of `topology`: `wanted` or else the one that served
/// it, where they apply; or else the one that is fastest on the machine where all come at the same time, for what the
/// native MPI did is not known. Errors: not_supported: none applies; otherwise as measure().
base::Result<algorithm::Choice> choice_again(const RecordedCall& call,
                                             const std::optional<algorithm::Choice>& wanted,
                                             const topology::Topology& topology, const Machine& machine,
                                             const interconnect::Topology* links);

}  // namespace tutti::simulate
