#include "agent/layout.hpp"

#include <algorithm>
#include <vector>

#include "agent/between_nodes.hpp"

namespace tutti::agent {

namespace {

constexpr uint64_t k_line_bytes = 64;

constexpr uint64_t whole_lines(uint64_t bytes) {
  return (bytes + k_line_bytes - 1) / k_line_bytes * k_line_bytes;
}

/// Number of blocks in the input and the output of an agent whose node has `members` of `ranks`.
struct Blocks {
  uint64_t input = 0, output = 0;
};

Blocks blocks_of(Collective collective, uint64_t members, uint64_t ranks) {
  switch (collective) {
    case Collective::bcast:
      return {0, 1};
    case Collective::reduce:
    case Collective::allreduce:
      return {members, 1};
    case Collective::reduce_scatter_block:
      return {members * ranks, members};
    case Collective::allgather:
    case Collective::gather:
      return {members, ranks};
    case Collective::scatter:
      return {ranks, members};
    case Collective::alltoall:
      return {members * ranks, members * ranks};
    default:
      return {};
  }
}

}  // namespace

bool is_served(Collective collective) {
  switch (collective) {
    case Collective::barrier:
    case Collective::bcast:
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
    case Collective::allgather:
    case Collective::allgatherv:
    case Collective::gather:
    case Collective::scatter:
    case Collective::alltoall:
      return true;
    default:
      return false;
  }
}

Collective form_of(Collective collective) {
  if (collective == Collective::allgatherv) return Collective::allgather;
  return collective == Collective::reduce_scatter ? Collective::reduce_scatter_block : collective;
}

bool combines(Collective collective) {
  return collective == Collective::reduce || collective == Collective::allreduce ||
         collective == Collective::reduce_scatter_block;
}

Layout::Layout(const Topology& topology, const Description& description, Rank me)
    : topology_(topology),
      description_(description),
      me_(me),
      node_(topology.node_of(me)),
      index_(static_cast<uint64_t>(topology.local_index(me))),
      members_(static_cast<uint64_t>(members(node_))) {
  const auto [input, output] =
      blocks_of(description.collective, members_, static_cast<uint64_t>(topology.rank_count()));
  if (combines(description.collective)) vector_bytes_ = input / members_ * part();
  input_bytes_ = input * part();
  output_begin_ = whole_lines(input_bytes_);
  output_bytes_ = output * part();
}

bool Layout::deposits() const {
  const Collective collective = description_.collective;
  return (collective != Collective::bcast && collective != Collective::scatter) || is_root();
}

uint32_t Layout::deposit_count() const {
  const Collective collective = description_.collective;
  if (collective != Collective::bcast && collective != Collective::scatter)
    return static_cast<uint32_t>(members_);
  return is_on_roots_node() ? 1 : 0;
}

bool Layout::takes() const {
  switch (description_.collective) {
    case Collective::bcast:
      return !is_root();
    case Collective::reduce:
    case Collective::gather:
      return is_root();
    default:
      return true;
  }
}

algorithm::OwnedRequest Layout::between_nodes() const {
  const int32_t nodes = topology_.node_count();
  std::vector<uint64_t> sizes, begins;
  uint64_t total = 0;
  for (int32_t node = 0; node < nodes; ++node) {
    const uint64_t bytes = static_cast<uint64_t>(members(node)) * part();
    begins.push_back(total);
    sizes.push_back(bytes);
    total += bytes;
  }
  algorithm::Request request{.collective = description_.collective,
                             .rank_count = nodes,
                             .root = topology_.node_of(description_.root),
                             .bytes = part()};
  if (combines(description_.collective)) request.element_bytes = engine::element_bytes(description_.element);
  request.collective = agent::between_nodes(description_.collective);
  if (request.collective == description_.collective) return algorithm::OwnedRequest(request);  // no blocks
  if (description_.collective == Collective::alltoall) {
    for (uint64_t& bytes : sizes) bytes *= members_;
    for (uint64_t& begin : begins) begin *= members_;
  }
  request.bytes = total;
  request.blocks = {.uniform_bytes = 0, .sizes = sizes, .offsets = begins};
  request.receive_blocks = request.blocks;
  request.own_bytes = sizes[static_cast<size_t>(node_)];
  return algorithm::OwnedRequest(request);
}

uint64_t Layout::longest_part(const Topology& topology, Collective collective, uint64_t element_bytes,
                              uint64_t area_bytes) {
  const auto members = static_cast<uint64_t>(topology.largest_node_size());
  const auto [input, output] = blocks_of(collective, members, static_cast<uint64_t>(topology.rank_count()));
  if (input + output == 0) return area_bytes;
  if (area_bytes < k_line_bytes) return 0;
  const uint64_t bytes = (area_bytes - k_line_bytes) / (input + output);
  return bytes / element_bytes * element_bytes;
}

}  // namespace tutti::agent
