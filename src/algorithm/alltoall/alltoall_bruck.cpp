// Bruck's alltoall (digit_exchange.hpp). Bytes of every rank: n times the number of nonzero digits in 1 … p-1; about
// n·p/2·log2 p for radix 2. Copies: a block is packed for every digit and copied to its final offset at the end.

#include "algorithm/alltoall/digit_exchange.hpp"
#include "algorithm/applicability.hpp"
#include "algorithm/parameters.hpp"
#include "pattern/bruck.hpp"

namespace tutti::algorithm {
namespace {

constexpr Parameter k_parameters[] = {radix_parameter(2, "more: fewer bytes, more messages", 1 << 16)};

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet& parameters) {
  ScheduleBuilder builder;
  if (request.blocks.size(0) == 0) return std::move(builder).finish();
  exchange_by_digits(builder, request, me, parameters[0], {.uniform_bytes = request.blocks.size(0)});
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
  const pattern::Bruck bruck{request.rank_count, static_cast<int64_t>(parameters[0])};
  const uint64_t bytes = request.blocks.size(0);
  if (bytes == 0) return {};
  return {bruck.rounds(), bruck.moving_count() * bytes};
}

}  // namespace

extern const Algorithm alltoall_bruck = {
    .name = "bruck",
    .summary = "blocks travel together by the digits of their distance",
    .source = "Bruck et al., IEEE TPDS 1997",
    .collective = Collective::alltoall,
    .parameters = k_parameters,
    .applies = applies_always,
    .build = build,
    .cost = cost,
    .is_the_same_for_all = true,
};

}  // namespace tutti::algorithm
