// Ring alltoall(v,w) (Faraj, Yuan: Automatic generation and tuning of MPI collective communication routines, ICS 2005).
// In step s rank i sends to i+s and receives from i-s: in every step each rank sends to one rank and receives from one
// rank.
//
//   step    1       2       3          p = 4
//   0       ─► 1    ─► 2    ─► 3
//   1       ─► 2    ─► 3    ─► 0
//   2       ─► 3    ─► 0    ─► 1
//   3       ─► 0    ─► 1    ─► 2
//
// Rounds ⌈(p-1) / steps⌉, busiest rank (p-1)·n bytes (v, w: the maximum over ranks of the bytes sent to others; empty
// blocks may save rounds). With few steps in flight all links are busy and no receiver is overloaded, for any p.

#include "algorithm/alltoall/exchange.hpp"

namespace tutti::algorithm {
namespace {

uint64_t step_count(const Request& request) {
  return static_cast<uint64_t>(request.rank_count - 1);
}

base::Result<Schedule> build(const Request& request, Rank me, const Topology&,
                             const ParameterSet& parameters) {
  ScheduleBuilder builder;
  AlltoallExchange exchange(builder, request, me, exchange_limits(parameters));
  exchange.add_steps(ring_steps(me, request.rank_count));
  exchange.copy_own();
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
  return exchange_cost(request, step_count(request), exchange_limits(parameters));
}

constexpr Algorithm row(Collective collective) {
  return {.name = "ring",
          .summary = "in step s to the rank s after and from the rank s before",
          .source = "Faraj, Yuan, ICS 2005",
          .collective = collective,
          .parameters = k_exchange_parameters,
          .applies = applies_always,
          .build = build,
          .cost = cost,
          .is_the_same_for_all = true};
}

}  // namespace

extern const Algorithm alltoall_ring = row(Collective::alltoall);
extern const Algorithm alltoallv_ring = row(Collective::alltoallv);
extern const Algorithm alltoallw_ring = row(Collective::alltoallw);

}  // namespace tutti::algorithm
