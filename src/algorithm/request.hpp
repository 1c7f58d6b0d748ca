#pragma once
// A request: one collective operation, in bytes. Knows neither MPI nor addresses.

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
/// The collective of that name; false for an unknown name.
bool from_string(std::string_view name, Collective* collective);
/// The same. Error: invalid_argument, with the nearest known name.
base::Result<Collective> parse_collective(std::string_view name);

/// Where the blocks of a buffer lie. Block r belongs to rank r. Either all blocks have the same size and
/// follow each other, or sizes and offsets are given per rank (the arrays live as long as the Request is
/// used). `known` is false for the part of a v-collective that only its root knows.
struct Blocks {
  uint64_t uniform_bytes = 0;
  std::span<const uint64_t> sizes;    // bytes
  std::span<const uint64_t> offsets;  // bytes; empty with sizes given: the blocks follow each other
  bool known = true;

  bool is_uniform() const { return sizes.empty(); }
  uint64_t size(Rank r) const { return is_uniform() ? uniform_bytes : sizes[static_cast<size_t>(r)]; }
  /// O(1) for uniform blocks or given offsets, O(r) otherwise.
  uint64_t offset(Rank r) const;
};

/// One call of one rank. What the fields mean, per collective (slots as in schedule::Slot):
///
///   bcast                  bytes; output on every rank (the root's holds the data)
///   reduce, allreduce,     bytes; input -> output (reduce: output at the root only)
///   scan, exscan           (exscan leaves rank 0's output alone)
///   reduce_scatter(_block) blocks = result of each rank, packed in this order in every input;
///                          bytes = their sum; output = this rank's block
///   gather(v)              input = own block (own_bytes); blocks = layout of output, at the root
///   scatter(v)             blocks = layout of input, at the root; output = own block (own_bytes)
///   allgather(v)           input = own block (own_bytes); blocks = layout of output
///   alltoall(v,w)          blocks = layout of input by destination; receive_blocks = of output by source
///   barrier                nothing
///
/// In place (MPI_IN_PLACE), there is no input slot on the ranks that say so:
///   reduce (root), allreduce, scan, exscan: the operand is in output, at its place of the result
///   gather(v) (root), allgather(v): the own block already lies at its place in output
///   scatter(v) (root): the own block stays where it is in the input; there is no output
///   reduce_scatter, alltoall: never in place here; the binding of buffers copies the input first
struct Request {
  Collective collective = Collective::barrier;
  Rank rank_count = 1;
  Rank root = 0;
  uint64_t bytes = 0;
  uint64_t element_bytes = 1;  // reductions never cut an element
  bool commutative = true;
  /// The operator is one of MPI's, on one of its types: any process can apply it.
  bool is_predefined = false;
  bool in_place = false;  // on this rank; only the root's matters for rooted collectives
  /// gather(v), scatter(v), allgather(v): size of the own block, also where it is in place.
  /// alltoall(v,w): size of the block that stays on this rank.
  uint64_t own_bytes = 0;
  Blocks blocks;
  Blocks receive_blocks;
  /// alltoallv: sizes of the blocks of others that pass through this rank, in the order of Relay::passages().
  Blocks passing_blocks;
  /// gatherv, scatterv: every rank knows all sizes (the offsets are known to the root alone). The same on
  /// every rank, unlike Blocks::known, so that applies() may read it.
  bool counts_known_everywhere = true;

  Request with_bytes(uint64_t other_bytes) const {
    Request copy = *this;
    copy.bytes = other_bytes;
    return copy;
  }

  /// The own contribution of reductions: input, or output when in place.
  schedule::BufRef operand() const {
    return {in_place ? schedule::Slot::output : schedule::Slot::input, 0, bytes};
  }
};

bool is_rooted(Collective collective);
bool is_reduction(Collective collective);

}  // namespace tutti::algorithm
