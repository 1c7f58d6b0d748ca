#include "bench/late/arrivals.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace tutti::bench {

double delay_ms(uint64_t seed, int rank, int call, double most_ms) {
  const uint64_t draw =
      base::mixed(base::mixed(seed) + static_cast<uint64_t>(call)) + static_cast<uint64_t>(rank);
  return base::as_fraction(draw) * most_ms;
}

LateFigures figures_of(std::span<const Visit> visits, int ranks, int root) {
  const size_t width = static_cast<size_t>(ranks), calls = visits.size() / width;
  LateFigures sum;
  std::vector<double> by_rank(width);
  for (size_t call = 0; call < calls; ++call) {
    const auto row = visits.subspan(call * width, width);
    double last_arrival = row[0].arrival_us, last_exit = row[0].exit_us;
    for (size_t rank = 0; rank < width; ++rank) {
      const Visit& visit = row[rank];
      by_rank[rank] += visit.exit_us - visit.arrival_us;
      sum.unavoidable += std::max(row[static_cast<size_t>(root)].arrival_us - visit.arrival_us, 0.0);
      last_arrival = std::max(last_arrival, visit.arrival_us);
      last_exit = std::max(last_exit, visit.exit_us);
    }
    sum.after_last += last_exit - last_arrival;
  }
  for (const double us : by_rank) sum.mean += us;
  const auto n = static_cast<double>(calls);
  return {.mean = sum.mean / n / ranks,
          .slowest = *std::max_element(by_rank.begin(), by_rank.end()) / n,
          .after_last = sum.after_last / n,
          .unavoidable = sum.unavoidable / n / ranks};
}

}  // namespace tutti::bench
