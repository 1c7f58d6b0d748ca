#include "algorithm/uniform_request.hpp"

namespace tutti::algorithm {

Request request_of(const UniformCall& call, Rank rank) {
  const bool splits =
      call.collective == Collective::reduce_scatter || call.collective == Collective::reduce_scatter_block;
  const auto ranks = static_cast<uint64_t>(call.rank_count);
  const uint64_t block = splits ? call.bytes / ranks : call.bytes;
  Request request{.collective = call.collective,
                  .rank_count = call.rank_count,
                  .root = call.root,
                  .bytes = splits ? block * ranks : call.bytes,
                  .commutative = call.commutative,
                  .own_bytes = block};
  request.in_place = call.in_place && (!is_rooted(call.collective) || rank == call.root) &&
                     call.collective != Collective::bcast;
  request.blocks.uniform_bytes = block;
  request.receive_blocks.uniform_bytes = block;
  request.passing_blocks.uniform_bytes = block;
  return request;
}

}  // namespace tutti::algorithm
