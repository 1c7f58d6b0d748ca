// Recursive doubling allgather(v) (Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in
// MPICH, IJHPCA 2005, §4.1). In round k partners at distance 2^k exchange all blocks of their groups.
//
//   round   1        2                 p = 4
//   0 ◄─► 1 0 | 1
//   2 ◄─► 3 2 | 3
//   0 ◄─► 2          0,1 | 2,3
//   1 ◄─► 3          0,1 | 2,3
//
// Powers of two only. Rounds log2 p, busiest rank (p-1)·n bytes (v form: the maximum over ranks of the sum of its
// groups). Blocks are received at their final offsets. In the v form each rank chooses the offsets, so that each block
// is a message of its own.

#include <algorithm>

#include "algorithm/allgather/range_exchange.hpp"
#include "algorithm/applicability.hpp"
#include "algorithm/block_layout.hpp"
#include "pattern/shape.hpp"

namespace tutti::algorithm {
namespace {

base::Result<Schedule> build(const Request& request, Rank me, const Topology&, const ParameterSet&) {
  ScheduleBuilder builder;
  RangeExchange exchange(builder, request, me);
  for (Rank distance = 1; distance < request.rank_count; distance *= 2) {
    const Rank partner = me ^ distance;
    const Rank own_group = me & ~(distance - 1);
    exchange.send(partner, own_group, distance);
    exchange.recv(partner, own_group ^ distance, distance);
  }
  return std::move(builder).finish();
}

uint64_t busiest_bytes(const BlockLayout& layout) {
  const Rank p = layout.rank_count();
  if (layout.is_uniform()) return static_cast<uint64_t>(p - 1) * layout.size(0);
  uint64_t busiest = 0;
  for (Rank r = 0; r < p; ++r) {
    uint64_t sent = 0;
    for (Rank distance = 1; distance < p; distance *= 2)
      sent += layout.range_bytes(r & ~(distance - 1), distance);
    busiest = std::max(busiest, sent);
  }
  return busiest;
}

Cost cost(const Request& request, const Topology&, const ParameterSet&) {
  const BlockLayout layout(request.blocks, request.rank_count, Slot::output);
  if (layout.total_bytes() == 0 || request.rank_count == 1) return {};
  return {pattern::ceil_log(static_cast<uint64_t>(request.rank_count), 2), busiest_bytes(layout)};
}

constexpr Algorithm row(Collective collective) {
  return {.name = "recursive_doubling",
          .summary = "groups of doubling size exchange all they have",
          .source = "Thakur, Rabenseifner, Gropp, IJHPCA 2005, §4.1",
          .collective = collective,
          .parameters = {},
          .applies = power_of_two_ranks,
          .build = build,
          .cost = cost};
}

}  // namespace

extern const Algorithm allgather_recursive_doubling = row(Collective::allgather);
extern const Algorithm allgatherv_recursive_doubling = row(Collective::allgatherv);

}  // namespace tutti::algorithm
