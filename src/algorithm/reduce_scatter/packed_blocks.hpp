#pragma once
// Offsets of the blocks of a reduce-scatter, which are contiguous in every operand.

#include "algorithm/phase.hpp"
#include "algorithm/request.hpp"

namespace tutti::algorithm {

/// Offset of each rank's block. O(1) memory for uniform blocks, O(ranks) otherwise.
BlockOffset packed_blocks(const Request& request);

}  // namespace tutti::algorithm
