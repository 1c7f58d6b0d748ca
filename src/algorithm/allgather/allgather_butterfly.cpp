// Recursive doubling allgather(v) (Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in
// MPICH, IJHPCA 2005, §4.1). In round k partners at distance 2^k exchange all blocks of their groups.
//
//   round   1        2                 p = 4
//   0 ◄─► 1 0 | 1
//   2 ◄─► 3 2 | 3
//   0 ◄─► 2          0,1 | 2,3
//   1 ◄─► 3          0,1 | 2,3
//
// Bine butterfly allgather(v) (De Sensi et al.: Bine Trees, SC 2025; pattern/bine.hpp): the same at Bine distances.
//
//   round   1        2            3                 p = 8, rank 0
//   0 ◄─► 1 0 | 1
//   0 ◄─► 7          0,1 | 6,7
//   0 ◄─► 3                       6,7,0,1 | 2,3,4,5
//
// Powers of two only. Rounds log2 p, busiest rank (p-1)·n bytes (v form: the maximum over ranks of the sum of its
// groups). Blocks are received at their final offsets; a group that wraps around after the last rank is two messages.
// In the v form each rank chooses the offsets, so that each block is a message of its own.

#include <algorithm>

#include "algorithm/allgather/range_exchange.hpp"
#include "algorithm/applicability.hpp"
#include "algorithm/block_layout.hpp"
#include "pattern/bine.hpp"
#include "pattern/doubling.hpp"

namespace tutti::algorithm {
namespace {

/// Calls visit(first, count) for the parts of a run that do not wrap around.
template <class Visit>
void for_each_part(Rank first, Rank count, Rank ranks, Visit visit) {
  const Rank unwrapped = std::min(count, ranks - first);
  visit(first, unwrapped);
  if (unwrapped < count) visit(0, count - unwrapped);
}

/// Functions of a catalogue entry.
template <class Butterfly>
struct ButterflyAllgather {
  static BuildResult build(const Request& request, Rank me, const Topology&, const ParameterSet&) {
    const Rank p = request.rank_count;
    const Butterfly butterfly{p};
    ScheduleBuilder builder;
    RangeExchange exchange(builder, request, me);
    for (Rank step = 0; step < butterfly.steps(); ++step) {
      const Rank partner = butterfly.partner(me, step), count = Rank{1} << step;
      for_each_part(butterfly.first_met(me, step), count, p,
                    [&](Rank first, Rank part) { exchange.send(partner, first, part); });
      for_each_part(butterfly.first_met(partner, step), count, p,
                    [&](Rank first, Rank part) { exchange.recv(partner, first, part); });
    }
    return std::move(builder).finish();
  }

  static Cost cost(const Request& request, const Topology&, const ParameterSet&) {
    const BlockLayout layout(request.blocks, request.rank_count, Slot::output);
    if (layout.total_bytes() == 0 || request.rank_count == 1) return {};
    return {pattern::ceil_log(static_cast<uint64_t>(request.rank_count), 2), busiest_bytes(layout)};
  }

 private:
  static uint64_t busiest_bytes(const BlockLayout& layout) {
    const Rank p = layout.rank_count();
    if (layout.is_uniform()) return static_cast<uint64_t>(p - 1) * layout.size(0);
    const Butterfly butterfly{p};
    uint64_t busiest = 0;
    for (Rank rank = 0; rank < p; ++rank) {
      uint64_t sent = 0;
      for (Rank step = 0; step < butterfly.steps(); ++step)
        sent += layout.range_bytes(butterfly.first_met(rank, step), Rank{1} << step);
      busiest = std::max(busiest, sent);
    }
    return busiest;
  }
};

constexpr Algorithm doubling(Collective collective) {
  using Doubling = ButterflyAllgather<pattern::DoublingButterfly>;
  return {.name = "recursive_doubling",
          .summary = "groups of doubling size exchange all they have",
          .source = "Thakur, Rabenseifner, Gropp, IJHPCA 2005, §4.1",
          .collective = collective,
          .parameters = {},
          .applies = power_of_two_ranks,
          .build = Doubling::build,
          .cost = Doubling::cost};
}

constexpr Algorithm bine(Collective collective) {
  using Bine = ButterflyAllgather<pattern::BineButterfly>;
  return {.name = "bine",
          .summary = "partners at Bine distances exchange all they have",
          .source = "De Sensi et al., SC 2025",
          .collective = collective,
          .parameters = {},
          .applies = power_of_two_ranks,
          .build = Bine::build,
          .cost = Bine::cost,
          .is_for_large_network = true};
}

}  // namespace

extern const Algorithm allgather_recursive_doubling = doubling(Collective::allgather);
extern const Algorithm allgatherv_recursive_doubling = doubling(Collective::allgatherv);
extern const Algorithm allgather_bine = bine(Collective::allgather);
extern const Algorithm allgatherv_bine = bine(Collective::allgatherv);

}  // namespace tutti::algorithm
