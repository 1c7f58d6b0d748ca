#pragma once
// The description of an operation for agents (DESIGN §5): the same on every rank that calls it.

#include <cstdint>
#include <type_traits>

#include "algorithm/algorithm.hpp"
#include "algorithm/request.hpp"
#include "engine/reduce_kernels.hpp"

namespace tutti::agent {

using schedule::Rank;

/// One part of one call. A call is split into parts that fit into node memory (Layout::longest_part): part
/// [begin, begin + bytes) of every block, where the blocks of bcast, reduce and allreduce are the whole
/// vector.
///
/// Stored in shared memory and sent between agents, so it contains no pointer.
struct Description {
  algorithm::Collective collective = algorithm::Collective::barrier;
  engine::Operator op = engine::Operator::sum;              // for reductions
  engine::ElementType element = engine::ElementType::byte;  // for reductions
  base::FloatMode float_mode;                               // for reductions
  Rank root = 0;
  /// The algorithm among the agents: its index in the catalogue plus one; 0: they choose.
  uint32_t algorithm = 0;
  algorithm::ParameterSet parameters;
  uint64_t block_bytes = 0;
  uint64_t begin = 0;
  uint64_t bytes = 0;

  bool operator==(const Description&) const = default;
};
static_assert(std::is_trivially_copyable_v<Description>);

}  // namespace tutti::agent
