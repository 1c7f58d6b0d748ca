// Ring alltoall(v,w) (Faraj, Yuan: Automatic generation and tuning of MPI collective communication routines, ICS 2005).
// In step s rank i sends to i+s and receives from i-s: in every step each rank sends to one rank and receives from one
// rank. Linear alltoall: the same without an enforced order, all messages at once.
//
//   step    1       2       3          p = 4
//   0       ─► 1    ─► 2    ─► 3
//   1       ─► 2    ─► 3    ─► 0
//   2       ─► 3    ─► 0    ─► 1
//   3       ─► 0    ─► 1    ─► 2
//
// Rounds ⌈(p-1) / steps⌉ (linear: 1), busiest rank (p-1)·n bytes (v, w: the maximum over ranks of the bytes sent to
// others; empty blocks may save rounds). With few steps in flight all links are busy and no receiver is overloaded, for
// any p. Linear is best for short blocks: no message waits for another, and no two ranks start with the same
// destination.

#include "algorithm/alltoall/exchange.hpp"

namespace tutti::algorithm {
namespace {

/// Functions of a catalogue entry.
template <ExchangeLimits (*k_limits)(const ParameterSet&)>
struct Ring {
  static BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet& parameters) {
    return build_exchange(request, me, ring_steps(me, request.rank_count), k_limits(parameters));
  }
  static Cost cost(const Request& request, const Topology&, const ParameterSet& parameters) {
    return exchange_cost(request, static_cast<uint64_t>(request.rank_count - 1), k_limits(parameters));
  }
};

ExchangeLimits no_limits(const ParameterSet&) {
  return {};
}

constexpr Algorithm ring(Collective collective) {
  return {.name = "ring",
          .summary = "in step s to the rank s after and from the rank s before",
          .source = "Faraj, Yuan, ICS 2005",
          .collective = collective,
          .parameters = k_exchange_parameters,
          .applies = applies_always,
          .build = Ring<exchange_limits>::build,
          .cost = Ring<exchange_limits>::cost,
          .is_the_same_for_all = true};
}

constexpr Algorithm linear(Collective collective) {
  return {.name = "linear",
          .summary = "every block straight to its destination, all at once",
          .source = "folklore",
          .collective = collective,
          .parameters = {},
          .applies = applies_always,
          .build = Ring<no_limits>::build,
          .cost = Ring<no_limits>::cost,
          .is_the_same_for_all = true};
}

}  // namespace

extern const Algorithm alltoall_ring = ring(Collective::alltoall);
extern const Algorithm alltoallv_ring = ring(Collective::alltoallv);
extern const Algorithm alltoallw_ring = ring(Collective::alltoallw);
extern const Algorithm alltoall_linear = linear(Collective::alltoall);
extern const Algorithm alltoallv_linear = linear(Collective::alltoallv);
extern const Algorithm alltoallw_linear = linear(Collective::alltoallw);

}  // namespace tutti::algorithm
