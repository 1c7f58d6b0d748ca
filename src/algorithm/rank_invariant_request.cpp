#include "algorithm/rank_invariant_request.hpp"

namespace tutti::algorithm {

namespace {

/// Whether all ranks know the sizes of all blocks in every call.
bool has_known_blocks(Collective collective) {
  return collective != Collective::gatherv && collective != Collective::scatterv &&
         collective != Collective::alltoallv && collective != Collective::alltoallw;
}

}  // namespace

RankInvariantRequest::RankInvariantRequest(const Request& request)
    : collective(request.collective),
      rank_count(request.rank_count),
      root(request.root),
      bytes(request.bytes),
      element_bytes(request.element_bytes),
      commutative(request.commutative),
      is_predefined(request.is_predefined),
      counts_known_everywhere(request.counts_known_everywhere) {
  if (has_known_blocks(collective))
    blocks = {.uniform_bytes = request.blocks.uniform_bytes,
              .sizes = request.blocks.sizes,
              .known = request.blocks.known};
  else
    blocks = {.known = false};
}

Request RankInvariantRequest::representative() const {
  return {.collective = collective,
          .rank_count = rank_count,
          .root = root,
          .bytes = bytes,
          .element_bytes = element_bytes,
          .commutative = commutative,
          .is_predefined = is_predefined,
          .own_bytes = blocks.uniform_bytes,
          .blocks = blocks,
          .receive_blocks = blocks,
          .passing_blocks = blocks,
          .counts_known_everywhere = counts_known_everywhere};
}

}  // namespace tutti::algorithm
