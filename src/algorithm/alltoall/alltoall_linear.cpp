// Linear alltoall(v,w): all messages start at once. In step s rank i sends to i+s and receives from i-s, so that no two
// ranks start with the same destination.
//
//   step    1       2       3          p = 4
//   0       ─► 1    ─► 2    ─► 3
//   1       ─► 2    ─► 3    ─► 0
//   2       ─► 3    ─► 0    ─► 1
//   3       ─► 0    ─► 1    ─► 2
//
// Rounds 1, busiest rank (p-1)·n bytes (v, w: the maximum over ranks of the bytes sent to others). The order is not
// enforced: no message waits for another, which is best for short blocks.

#include "algorithm/alltoall/exchange.hpp"

namespace tutti::algorithm {
namespace {

uint64_t step_count(const Request& request) {
  return static_cast<uint64_t>(request.rank_count - 1);
}

base::Result<Schedule> build(const Request& request, Rank me, const Topology&, const ParameterSet&) {
  ScheduleBuilder builder;
  AlltoallExchange exchange(builder, request, me, {});
  exchange.add_steps(ring_steps(me, request.rank_count));
  exchange.copy_own();
  return std::move(builder).finish();
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  return exchange_cost(request, step_count(request), {});
}

constexpr Algorithm row(Collective collective) {
  return {.name = "linear",
          .summary = "every block straight to its destination, all at once",
          .source = "folklore",
          .collective = collective,
          .parameters = {},
          .applies = applies_always,
          .build = build,
          .cost = cost,
          .is_the_same_for_all = true};
}

}  // namespace

extern const Algorithm alltoall_linear = row(Collective::alltoall);
extern const Algorithm alltoallv_linear = row(Collective::alltoallv);
extern const Algorithm alltoallw_linear = row(Collective::alltoallw);

}  // namespace tutti::algorithm
