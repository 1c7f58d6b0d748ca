#include "dispatch/rank_invariant.hpp"

namespace tutti::dispatch {

using algorithm::Collective;
using algorithm::Request;

Request rank_invariant_part(Request request) {
  request.in_place = false;
  request.blocks.offsets = {};
  request.receive_blocks.offsets = {};
  switch (request.collective) {
    case Collective::gatherv:
    case Collective::scatterv:
    case Collective::alltoallv:
    case Collective::alltoallw:
      request.own_bytes = 0;
      request.blocks = request.receive_blocks = request.passing_blocks = {.known = false};
      break;
    case Collective::allgatherv:
      request.own_bytes = 0;
      break;
    default:
      break;
  }
  return request;
}

}  // namespace tutti::dispatch
