#include "agent/calls.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "agent/between_nodes.hpp"
#include "agent/board.hpp"
#include "agent/layout.hpp"
#include "agent/member.hpp"
#include "algorithm/catalogue.hpp"

namespace tutti::agent {

namespace {

uint64_t largest_of(const algorithm::Blocks& blocks) {
  return blocks.is_uniform() ? blocks.uniform_bytes : std::ranges::max(blocks.sizes);
}

/// Bytes of the largest block; the blocks of bcast, reduce and allreduce are the whole vector.
uint64_t block_bytes_of(const algorithm::RankInvariantRequest& request) {
  switch (request.collective) {
    case Collective::barrier:
      return 0;
    case Collective::bcast:
    case Collective::reduce:
    case Collective::allreduce:
      return request.bytes;
    default:
      return largest_of(request.blocks);
  }
}

/// True if padding all blocks to the largest size at most doubles the data.
bool are_alike(const algorithm::RankInvariantRequest& request) {
  if (request.blocks.is_uniform()) return true;
  const auto& sizes = request.blocks.sizes;
  const uint64_t places = sizes.size() * largest_of(request.blocks);
  return places <= 2 * std::accumulate(sizes.begin(), sizes.end(), uint64_t{0});
}

/// Chooses a chain of nodes for a broadcast if, with segments, it ends sooner than a tree, judged by the
/// bytes that follow each other on a link. A part does not contain the length of the call, so the whole call
/// is described with this choice.
algorithm::Choice choice_by_length(const algorithm::RankInvariantRequest& request, int32_t node_count) {
  constexpr uint64_t k_segment_bytes = 16 << 10;
  const auto others = static_cast<uint64_t>(node_count - 1);
  const auto levels = static_cast<uint64_t>(std::bit_width(others));
  const uint64_t by_chain = request.bytes + (others - 1) * k_segment_bytes, by_tree = levels * request.bytes;
  if (request.collective != Collective::bcast || by_chain >= by_tree) return {};
  const algorithm::Algorithm* const chain = algorithm::find(Collective::bcast, "chain");
  return {chain, default_parameters(*chain)};
}

}  // namespace

bool serves(const algorithm::RankInvariantRequest& request, const topology::Topology& topology,
            std::string* why_not) {
  if (!is_served(request.collective))
    *why_not = "agents do not serve " + std::string(algorithm::to_string(request.collective));
  else if (topology.node_count() < 2)
    *why_not = "there is only one node";
  else if (algorithm::is_reduction(request.collective) && !request.is_predefined)
    *why_not = "the operator is the program's own";
  else if (!are_alike(request))
    *why_not = "the blocks differ much in size";
  else
    return true;
  return false;
}

Description describe(const algorithm::RankInvariantRequest& request, const topology::Topology& topology,
                     uint64_t area_bytes, const algorithm::Choice& choice) {
  const Collective form = form_of(request.collective);
  Description whole{.collective = form, .root = request.root, .block_bytes = block_bytes_of(request)};
  prescribe(choice.algorithm != nullptr ? choice : choice_by_length(request, topology.node_count()), &whole);
  const uint64_t element_bytes = combines(form) ? request.element_bytes : 1;
  whole.bytes = std::min(Layout::longest_part(topology, form, element_bytes, area_bytes), whole.block_bytes);
  return whole;
}

bool fits(const Description& whole) {
  return whole.bytes > 0 || whole.block_bytes == 0;
}

bool may_be_quick(const algorithm::RankInvariantRequest& request, const topology::Topology& topology) {
  constexpr uint32_t k_most_parts = 32;
  const Description whole = describe(request, topology, Board::area_bytes(Board::k_usual_bytes));
  return fits(whole) && BoardCall::part_count(whole) <= k_most_parts;
}

}  // namespace tutti::agent
