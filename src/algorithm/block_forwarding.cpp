#include "algorithm/block_forwarding.hpp"

#include <utility>

#include "algorithm/phase.hpp"

namespace tutti::algorithm {

uint64_t relayed_bytes(const Request& request, uint64_t most_passing) {
  const Blocks& passing = request.passing_blocks;
  return request.blocks.total(request.rank_count) +
         (passing.is_uniform() ? most_passing * passing.uniform_bytes
                               : passing.total(static_cast<Rank>(passing.sizes.size())));
}

TwoPhaseRequests::TwoPhaseRequests(const Algorithm& algorithm, std::span<const Request> every_rank,
                                   const Topology& topology, const ParameterSet& parameters)
    : requests_(every_rank.begin(), every_rank.end()) {
  if (algorithm.forwarding == nullptr) return;
  for (Rank me = 0; me < static_cast<Rank>(requests_.size()); ++me) {
    Request& mine = requests_[static_cast<size_t>(me)];
    std::vector<uint64_t>& sizes = sizes_.emplace_back();
    for (const auto& [source, destination] :
         algorithm.forwarding->forwarded_blocks(mine, me, topology, parameters))
      sizes.push_back(every_rank[static_cast<size_t>(source)].blocks.size(destination));
    mine.passing_blocks = {.sizes = sizes};
  }
}

BuildResult build_whole(const Choice& choice, const Request& request, Rank me, const Topology& topology) {
  const Algorithm& algorithm = *choice.algorithm;
  auto blocks = algorithm.build(request, me, topology, choice.parameters);
  if (algorithm.forwarding == nullptr || !blocks) return blocks;
  const auto sizes = algorithm.forwarding->build_sizes(request, me, topology, choice.parameters);
  if (!sizes) return sizes.status();

  ScheduleBuilder builder;
  const std::vector<Peer> ranks = all_ranks(request.rank_count);
  const size_t passing =
      algorithm.forwarding->forwarded_blocks(request, me, topology, choice.parameters).size();
  const auto first = builder.nest(
      *sizes, {.input = builder.scratch(static_cast<uint64_t>(request.rank_count) * k_size_bytes),
               .output = builder.scratch(passing * k_size_bytes),
               .peers = ranks});
  builder.nest(
      *blocks,
      {.input = {Slot::input, 0, UINT64_MAX}, .output = {Slot::output, 0, UINT64_MAX}, .peers = ranks},
      first.done);
  return std::move(builder).finish();
}

}  // namespace tutti::algorithm
