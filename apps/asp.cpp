// ASP: all-pairs shortest paths by the Floyd-Warshall algorithm.
//
// The N x N distance matrix is distributed by rows. In step k the owner of row k broadcasts it, and every
// rank shortens its own rows through vertex k: N broadcasts of N integers, each from the rank that owns the
// row. This is the ASP program of Liu, Song, Lu and Xu's study of process arrival patterns (Journal of
// Software 22(10), 2011, section 4.2.1): a late root or a late receiver shows at once.
//
// The result is checked row by row against Dijkstra's algorithm, an independent implementation.

#include "common/distribution.hpp"
#include "common/imbalance.hpp"
#include "common/program.hpp"
#include "common/random.hpp"
#include "common/report.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

using apps::BlockRows;

// Small enough that the sum of two distances cannot overflow.
constexpr int k_unreachable = std::numeric_limits<int>::max() / 2;
constexpr int k_longest_edge = 100;

struct Graph {
  int vertices;
  std::uint64_t seed;
  double density;  // the probability that a directed edge exists

  int edge(int from, int to) const {
    if (from == to) return 0;
    const std::uint64_t bits =
        apps::random_bits(seed, static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to));
    if (apps::to_unit(bits) >= density) return k_unreachable;
    return 1 + static_cast<int>(apps::mix(bits) % k_longest_edge);
  }
};

class Rows {
 public:
  Rows(const Graph& graph, int first, int count)
      : width_(static_cast<std::size_t>(graph.vertices)), data_(width_ * static_cast<std::size_t>(count)) {
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < graph.vertices; ++j) row(i)[j] = graph.edge(first + i, j);
  }
  int width() const { return static_cast<int>(width_); }
  int* row(int i) { return data_.data() + offset(i); }
  const int* row(int i) const { return data_.data() + offset(i); }

 private:
  std::size_t offset(int i) const { return static_cast<std::size_t>(i) * width_; }

  std::size_t width_;
  std::vector<int> data_;
};

void shorten_through(int k, const int* pivot, int* row, int vertices) {
  const int to_pivot = row[k];
  if (to_pivot == k_unreachable) return;
  for (int j = 0; j < vertices; ++j) row[j] = std::min(row[j], to_pivot + pivot[j]);
}

void floyd_warshall(Rows& rows, const BlockRows& deal, int rank, apps::Imbalance& imbalance,
                    apps::CollectiveClock& clock) {
  const int vertices = rows.width();
  std::vector<int> received(static_cast<std::size_t>(vertices));
  for (int k = 0; k < vertices; ++k) {
    const int owner = deal.owner(k);
    int* pivot = owner == rank ? rows.row(k - deal.first(rank)) : received.data();
    imbalance.delay();
    clock.time([&] { MPI_Bcast(pivot, vertices, MPI_INT, owner, MPI_COMM_WORLD); });
    for (int i = 0; i < deal.count(rank); ++i) shorten_through(k, pivot, rows.row(i), vertices);
  }
}

// Dijkstra's algorithm with a linear scan: for dense graphs no heap is faster.
std::vector<int> shortest_from(int source, const Rows& edges) {
  const int n = edges.width();
  std::vector<int> distance(static_cast<std::size_t>(n), k_unreachable);
  std::vector<char> settled(static_cast<std::size_t>(n), 0);
  distance[source] = 0;
  for (;;) {
    int nearest = -1;
    for (int v = 0; v < n; ++v)
      if (!settled[v] && (nearest < 0 || distance[v] < distance[nearest])) nearest = v;
    if (nearest < 0 || distance[nearest] == k_unreachable) return distance;
    settled[nearest] = 1;
    const int* edge = edges.row(nearest);
    for (int v = 0; v < n; ++v) distance[v] = std::min(distance[v], distance[nearest] + edge[v]);
  }
}

bool agrees_with_dijkstra(const Rows& rows, const BlockRows& deal, int rank, const Graph& graph) {
  const Rows edges(graph, 0, graph.vertices);
  for (int i = 0; i < deal.count(rank); ++i) {
    const std::vector<int> expected = shortest_from(deal.first(rank) + i, edges);
    if (!std::equal(expected.begin(), expected.end(), rows.row(i))) return false;
  }
  return true;
}

std::uint64_t checksum_of(const Rows& rows, const BlockRows& deal, int rank) {
  std::uint64_t sum = 0;
  for (int i = 0; i < deal.count(rank); ++i)
    for (int j = 0; j < rows.width(); ++j)
      sum +=
          apps::random_bits(static_cast<std::uint64_t>(rows.row(i)[j]),
                            static_cast<std::uint64_t>(deal.first(rank) + i), static_cast<std::uint64_t>(j));
  return sum;
}

int solve(const Graph& graph, const std::string& arrivals, bool verify) {
  apps::Imbalance imbalance;
  if (!imbalance.load("asp", arrivals, graph.seed)) return 2;
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const BlockRows deal(graph.vertices, ranks);
  Rows rows(graph, deal.first(rank), deal.count(rank));

  MPI_Barrier(MPI_COMM_WORLD);
  apps::CollectiveClock clock;
  const double begin = MPI_Wtime();
  floyd_warshall(rows, deal, rank, imbalance, clock);
  const double total_s = MPI_Wtime() - begin;

  const bool verified = verify && agrees_with_dijkstra(rows, deal, rank, graph);
  char parameters[120];
  std::snprintf(parameters, sizeof parameters, "vertices=%d seed=%llu density=%g bcasts=%d", graph.vertices,
                static_cast<unsigned long long>(graph.seed), graph.density, graph.vertices);
  const double bcast_s = clock.total_s();  // the program has no other collectives
  return apps::report("asp", std::string(parameters) + " imbalance=" + arrivals,
                      {total_s, bcast_s, bcast_s, checksum_of(rows, deal, rank), verify, verified});
}

}  // namespace

int main(int argc, char** argv) {
  std::int64_t vertices = 512;
  std::int64_t seed = 1;
  double density = 0.05;
  std::string imbalance = "none";
  const apps::Option options[] = {
      {"vertices", "vertices of the graph", &vertices, 1, 1 << 20},
      {"seed", "seed of the random graph", &seed, 0, 1e18},
      {"density", "probability of each directed edge", &density, 0, 1},
      {"imbalance", "how late ranks come to each broadcast, like uniform:5ms, or a file", &imbalance},
  };
  return apps::run_program("asp", options, argc, argv, [&](bool verify) {
    return solve({static_cast<int>(vertices), static_cast<std::uint64_t>(seed), density}, imbalance, verify);
  });
}
