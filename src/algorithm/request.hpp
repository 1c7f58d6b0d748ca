#pragma once
// A request: one collective operation, described in bytes. Independent of MPI and of addresses.

#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.hpp"
#include "schedule/task.hpp"

namespace tutti::algorithm {

using schedule::Rank;

enum class Collective : uint8_t {
  barrier,
  bcast,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  gather,
  gatherv,
  scatter,
  scatterv,
  scan,
  exscan,
};
inline constexpr int k_collective_count = 17;

std::string_view to_string(Collective collective);  // "bcast", …
/// What the size of a call is, for rules and reports.
enum class CallSize : uint8_t {
  none,     // 0
  whole,    // the message, or the whole vector
  block,    // one block; the average block, rounded down, if sizes differ
  unknown,  // only some ranks know it
};
CallSize size_of_calls(Collective collective);
/// The collective of that name; false for an unknown name.
bool from_string(std::string_view name, Collective* collective);
/// The same as a Result. Error: invalid_argument, with the nearest known name.
base::Result<Collective> parse_collective(std::string_view name);

/// Layout of the blocks of a buffer. Block r belongs to rank r. Either all blocks have the same size and are
/// contiguous, or sizes and offsets are given per rank (the arrays must outlive the Request). `known` is false if only
/// the root of a v-collective knows the sizes, and this rank is not the root.
struct Blocks {
  uint64_t uniform_bytes = 0;
  std::span<const uint64_t> sizes;    // bytes
  std::span<const uint64_t> offsets;  // bytes; empty with sizes given: the blocks are contiguous
  bool known = true;

  bool is_uniform() const { return sizes.empty(); }
  uint64_t size(Rank r) const { return is_uniform() ? uniform_bytes : sizes[static_cast<size_t>(r)]; }
  /// O(1) for uniform blocks or given offsets, O(r) otherwise.
  uint64_t offset(Rank r) const;

  // Of the blocks of ranks 0 … rank_count - 1; O(1) for uniform blocks.
  uint64_t total(Rank rank_count) const;
  uint64_t largest(Rank rank_count) const;
  uint64_t smallest(Rank rank_count) const;
};

/// One call of one rank. Meaning of the fields per collective (slots as in schedule::Slot):
///
///   bcast                  bytes; output on every rank (the root's holds the data)
///   reduce, allreduce,     bytes; input -> output (reduce: output at the root only)
///   scan, exscan           (exscan does not write rank 0's output)
///   reduce_scatter(_block) blocks = result of each rank, packed in this order in every input;
///                          bytes = their sum; output = this rank's block
///   gather(v)              input = own block (own_bytes); blocks = layout of output, at the root
///   scatter(v)             blocks = layout of input, at the root; output = own block (own_bytes)
///   allgather(v)           input = own block (own_bytes); blocks = layout of output
///   alltoall(v,w)          blocks = layout of input by destination; receive_blocks = of output by source
///   barrier                nothing
///
/// In place (MPI_IN_PLACE): the ranks that pass it have no input slot:
///   reduce (root), allreduce, scan, exscan: the operand is in output, at the offset of the result
///   gather(v) (root), allgather(v): the own block is already at its offset in output
///   scatter(v) (root): the own block stays where it is in the input; there is no output
///   reduce_scatter, alltoall: never in place; the code that binds the buffers copies the input first
struct Request {
  Collective collective = Collective::barrier;
  Rank rank_count = 1;
  Rank root = 0;
  uint64_t bytes = 0;
  uint64_t element_bytes = 1;  // reductions never cut an element
  bool commutative = true;
  /// The operator and its type are predefined by MPI: any process can apply it.
  bool is_predefined = false;
  bool in_place = false;  // on this rank; only the root's matters for rooted collectives
  /// gather(v), scatter(v), allgather(v): size of this rank's block, also if it is in place. alltoall(v,w): size of the
  /// block that stays on this rank.
  uint64_t own_bytes = 0;
  Blocks blocks;
  Blocks receive_blocks;
  /// alltoallv: sizes of other ranks' blocks that pass through this rank, in the order of
  /// BlockForwarding::forwarded_blocks().
  Blocks passing_blocks;
  /// gatherv, scatterv: every rank knows all sizes (only the root knows the offsets). Rank-invariant, unlike
  /// Blocks::known, so that applies() may read it.
  bool counts_known_everywhere = true;

  Request with_bytes(uint64_t other_bytes) const {
    Request copy = *this;
    copy.bytes = other_bytes;
    return copy;
  }

  /// This rank's contribution to a reduction: input, or output if in place.
  schedule::BufRef operand() const {
    return {in_place ? schedule::Slot::output : schedule::Slot::input, 0, bytes};
  }
};

bool is_rooted(Collective collective);
bool is_scatter(Collective collective);  // scatter, scatterv
bool is_reduction(Collective collective);

}  // namespace tutti::algorithm
