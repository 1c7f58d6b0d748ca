#include "algorithm/parts_in_access_order.hpp"

#include "algorithm/block_layout.hpp"

namespace tutti::algorithm {

std::optional<size_t> order_parameters(const Algorithm& algorithm) {
  for (size_t i = 0; i + 1 < algorithm.parameters.size(); ++i)
    if (algorithm.parameters[i].name == k_direction_parameter.name) return i;
  return std::nullopt;
}

Rank blocks_of_result(const RankInvariantRequest& request) {
  switch (request.collective) {
    case Collective::gather:
    case Collective::gatherv:
    case Collective::allgather:
    case Collective::allgatherv:
    case Collective::alltoall:
    case Collective::alltoallv:
    case Collective::alltoallw:
      return request.rank_count;
    default:
      return 1;
  }
}

namespace {

schedule::BufRef whole_result(const Request& request, Rank me) {
  using enum Collective;
  const bool is_root = me == request.root;
  uint64_t bytes = request.bytes;
  if (is_scatter(request.collective)) bytes = request.in_place ? 0 : request.own_bytes;
  if (request.collective == reduce_scatter || request.collective == reduce_scatter_block)
    bytes = request.blocks.size(me);
  if (request.collective == bcast && is_root) bytes = 0;
  if (request.collective == reduce && !is_root) bytes = 0;
  return {schedule::Slot::output, 0, bytes};
}

std::optional<BlockLayout> result_layout(const Request& request, Rank me) {
  using enum Collective;
  const bool is_gather = request.collective == gather || request.collective == gatherv;
  if (is_gather && me != request.root) return std::nullopt;
  const bool is_gathered = is_gather || request.collective == allgather || request.collective == allgatherv;
  return BlockLayout(is_gathered ? request.blocks : request.receive_blocks, request.rank_count,
                     schedule::Slot::output);
}

}  // namespace

std::vector<schedule::BufRef> parts_of_result(const Request& request, Rank me) {
  const Rank blocks = blocks_of_result(request);
  const uint32_t per_block = parts_per_block(blocks);
  std::vector<schedule::BufRef> parts;
  const auto add_block = [&](schedule::BufRef block) {
    for (uint32_t part = 0; part < per_block; ++part)
      parts.push_back(cut(block, part, part + 1, per_block, 1));
  };
  if (blocks_of_result(request) == 1) {
    add_block(whole_result(request, me));
  } else if (const auto layout = result_layout(request, me)) {
    for (Rank block = 0; block < blocks; ++block)
      add_block(block == me ? schedule::BufRef{} : layout->block(block));
  } else {
    parts.assign(part_count(blocks), {});
  }
  return parts;
}

PartsInAccessOrder::PartsInAccessOrder(pattern::AccessOrder order, Rank blocks)
    : per_block_(parts_per_block(blocks)),
      parts_(order.sequence(part_count(blocks))),
      of_block_(static_cast<size_t>(blocks)) {
  for (size_t begin = 0; begin < parts_.size();) {
    const uint32_t block = parts_[begin] / per_block_;
    size_t end = begin;
    for (; end < parts_.size() && parts_[end] / per_block_ == block; ++end) parts_[end] %= per_block_;
    auto& runs = of_block_[block];
    runs.push_back(runs_.size());
    most_runs_ = std::max(most_runs_, runs.size());
    runs_.push_back({static_cast<Rank>(block), std::span(parts_).subspan(begin, end - begin)});
    begin = end;
  }
}

const PartsInAccessOrder::Run* PartsInAccessOrder::run_of(Rank block, size_t index) const {
  const auto& runs = of_block_[static_cast<size_t>(block)];
  return index < runs.size() ? &runs_[runs[index]] : nullptr;
}

}  // namespace tutti::algorithm
