// Pairwise alltoall(v,w) (Faraj, Yuan: Automatic generation and tuning of MPI collective communication routines, ICS
// 2005; Thakur, Rabenseifner, Gropp, IJHPCA 2005, §4.4). In every step the ranks form pairs that exchange their blocks,
// which suits full-duplex links. Any p: see pattern/pairing.hpp.
//
//   step    1        2        3          p = 4
//           0 ◄─► 1  0 ◄─► 2  0 ◄─► 3
//           2 ◄─► 3  1 ◄─► 3  1 ◄─► 2
//
// Rounds ⌈(p-1) / steps⌉ for even p. For odd p, with which each rank is idle in one of p steps: ⌈p / steps⌉, but p-1 if
// only one step is in flight. Busiest rank (p-1)·n bytes (v, w: the maximum over ranks of the bytes sent to others;
// empty blocks may save rounds).

#include "algorithm/alltoall/exchange.hpp"
#include "pattern/pairing.hpp"

namespace tutti::algorithm {
namespace {

BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet& parameters) {
  const pattern::Pairing pairing{request.rank_count};
  std::vector<ExchangeStep> steps;
  for (Rank round = 0; round < pairing.rounds(); ++round) {
    const Rank partner = pairing.partner(me, round);
    steps.push_back(partner == me ? ExchangeStep{-1, -1} : ExchangeStep{partner, partner});
  }
  return build_exchange(request, me, steps, exchange_limits(parameters));
}

Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
  const Rank p = request.rank_count;
  const ExchangeLimits limits = exchange_limits(parameters);
  // The step in which a rank is idle shortens the chain of its sends; with several lanes the shortened chain is not
  // always the longest one.
  const Rank steps = limits.steps == 1 ? p - 1 : pattern::Pairing{p}.rounds();
  Cost bound = exchange_cost(request, static_cast<uint64_t>(steps), limits);
  bound.is_upper_bound = bound.is_upper_bound || steps != p - 1;
  return bound;
}

constexpr Algorithm row(Collective collective) {
  return {.name = "pairwise",
          .summary = "in every step pairs of ranks exchange their blocks",
          .source = "Faraj, Yuan, ICS 2005",
          .collective = collective,
          .parameters = k_exchange_parameters,
          .applies = applies_always,
          .build = build,
          .cost = cost};
}

}  // namespace

extern const Algorithm alltoall_pairwise = row(Collective::alltoall);
extern const Algorithm alltoallv_pairwise = row(Collective::alltoallv);
extern const Algorithm alltoallw_pairwise = row(Collective::alltoallw);

}  // namespace tutti::algorithm
