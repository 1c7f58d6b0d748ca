#include "arrival/figures.hpp"

#include <algorithm>
#include <vector>

namespace tutti::arrival {

namespace {

using Row = std::span<const Visit>;

double last_arrival(Row row) {
  double last = row.front().arrival;
  for (const Visit& visit : row) last = std::max(last, visit.arrival);
  return last;
}

/// Lower bound of the wait of `rank`.
double unavoidable_wait(Row row, uint32_t rank, Waits waits, uint32_t root) {
  const double own = row[rank].arrival;
  switch (waits) {
    case Waits::for_root:
      return std::max(row[root].arrival - own, 0.0);
    case Waits::of_root:
      return rank == root ? last_arrival(row) - own : 0;
    case Waits::for_lower:
      return last_arrival(row.first(rank + 1)) - own;
    case Waits::for_all:
      return last_arrival(row) - own;
  }
  return 0;
}

}  // namespace

Waits waits_of(std::string_view collective) {
  if (collective == "bcast" || collective.starts_with("scatter")) return Waits::for_root;
  if (collective == "reduce" || collective.starts_with("gather")) return Waits::of_root;
  if (collective == "scan" || collective == "exscan") return Waits::for_lower;
  return Waits::for_all;
}

Figures figures_of(std::span<const Visit> visits, uint32_t ranks, Waits waits, uint32_t root) {
  std::vector<double> inside(ranks), floor(ranks);
  double after_last = 0;
  const size_t calls = visits.size() / ranks;
  for (size_t call = 0; call < calls; ++call) {
    const Row row = visits.subspan(call * ranks, ranks);
    double last_exit = row.front().exit;
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      inside[rank] += row[rank].exit - row[rank].arrival;
      floor[rank] += unavoidable_wait(row, rank, waits, root);
      last_exit = std::max(last_exit, row[rank].exit);
    }
    after_last += last_exit - last_arrival(row);
  }
  const auto n = static_cast<double>(calls);
  const auto mean_of = [&](const std::vector<double>& sums) {
    double sum = 0;
    for (const double one : sums) sum += one;
    return sum / n / ranks;
  };
  const auto most_of = [&](const std::vector<double>& sums) {
    return *std::max_element(sums.begin(), sums.end()) / n;
  };
  return {most_of(inside), mean_of(inside), after_last / n, most_of(floor), mean_of(floor)};
}

}  // namespace tutti::arrival
