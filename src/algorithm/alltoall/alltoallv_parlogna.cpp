// ParLogNa, the logarithmic alltoallv with a radix (Fan, Domke, Ba, Kumar: Configurable Non-uniform All-to-all
// Algorithms, arXiv:2411.02581, §3, there TuNA; HPDC 2025). Blocks of any sizes travel by the digits of their distance
// (digit_exchange.hpp). A rank does not know the sizes of the blocks that it forwards: the sizes are sent first over
// the same route, 8 bytes per block. The paper sends the sizes of a round before the round; here all sizes are sent
// before the first round, with the same number of messages.
//
// Rounds at most ⌈log_radix p⌉ (empty blocks may save some), and as many for the sizes. Bytes of a rank: its blocks for
// others, and the blocks that it forwards.

#include "algorithm/alltoall/digit_exchange.hpp"
#include "algorithm/applicability.hpp"
#include "algorithm/block_forwarding.hpp"
#include "algorithm/parameters.hpp"
#include "pattern/bruck.hpp"

namespace tutti::algorithm {
namespace {

constexpr Parameter k_parameters[] = {radix_parameter(4, "more: fewer bytes, more messages", 1 << 16)};

std::vector<ForwardedBlock> forwarded_blocks(const Request& request, Rank me, const Topology&,
                                             const ParameterSet& parameters) {
  std::vector<ForwardedBlock> found;
  for (const auto [source, destination] :
       arriving_parcels(all_by_digits(request.rank_count, me, parameters[0])))
    found.push_back({source, destination});
  return found;
}

BuildResult build_sizes(const Request& request, Rank me, const Topology& topology,
                        const ParameterSet& parameters) {
  const size_t passing = forwarded_blocks(request, me, topology, parameters).size();
  ScheduleBuilder builder;
  DigitExchange exchange(
      builder, all_by_digits(request.rank_count, me, parameters[0]),
      {.sizes = {.uniform_bytes = k_size_bytes}, .memory = {Slot::output, 0, passing * k_size_bytes}});
  for (Rank to = 0; to < request.rank_count; ++to)
    exchange.put(to, {{BufRef{Slot::input, static_cast<uint64_t>(to) * k_size_bytes, k_size_bytes}}});
  exchange.move_all();
  return std::move(builder).finish();
}

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet& parameters) {
  ScheduleBuilder builder;
  exchange_by_digits(builder, request, me, parameters[0], request.passing_blocks);
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
  const pattern::Bruck bruck{request.rank_count, static_cast<int64_t>(parameters[0])};
  return {.rounds = bruck.rounds(),
          .busiest_bytes = relayed_bytes(request, bruck.moving_count()),
          .is_upper_bound = true};
}

constexpr BlockForwarding k_forwarding = {.forwarded_blocks = forwarded_blocks, .build_sizes = build_sizes};

}  // namespace

extern const Algorithm alltoallv_parlogna = {
    .name = "parlogna",
    .summary = "blocks travel together by the digits of their distance, their sizes ahead of them",
    .source = "Fan, Domke, Ba, Kumar, HPDC 2025",
    .collective = Collective::alltoallv,
    .parameters = k_parameters,
    .applies = applies_always,
    .build = build,
    .cost = cost,
    .is_the_same_for_all = true,
    .forwarding = &k_forwarding,
};

}  // namespace tutti::algorithm
