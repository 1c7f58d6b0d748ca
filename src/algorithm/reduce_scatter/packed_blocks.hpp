#pragma once
// The blocks of a reduce-scatter: they follow each other in every operand, whatever their sizes.

#include "algorithm/phase.hpp"
#include "algorithm/request.hpp"

namespace tutti::algorithm {

/// Where each rank's block begins. O(1) memory for uniform blocks, O(ranks) otherwise.
BlockOffset packed_blocks(const Request& request);
/// Bytes of the smallest block.
uint64_t smallest_block_bytes(const Request& request);

}  // namespace tutti::algorithm
