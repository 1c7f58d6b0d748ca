// VCC: connected components of an undirected graph by vertex collapse.
//
// The algorithm of Hirschberg, Chandra and Sarwate (Communications of the ACM 22(8), 1979). Every vertex
// carries the label of the component that it is known to belong to. One round joins each component to its
// smallest neighbour and collapses the joined ones onto one label. A round at least halves the number of
// components that can still grow, so ceil(log2 N) rounds are enough.
//
// The N x N adjacency matrix is distributed by rows. Each of the 4 + ceil(log2 N) steps of a round computes
// the new labels of the rank's own vertices, gathers all of them at rank 0 and broadcasts the N labels; four
// of the steps end in a barrier. In total
//     (4 + ceil(log2 N)) ceil(log2 N)  broadcasts of N integers, as many gathers, and
//     4 ceil(log2 N)                   barriers,
// the counts of the VCC program of Liu, Song, Lu and Xu (Journal of Software 22(10), 2011,
// section 4.2.2).
//
// Every rank checks its copy of the labels against a sequential union-find.

#include "common/distribution.hpp"
#include "common/imbalance.hpp"
#include "common/program.hpp"
#include "common/random.hpp"
#include "common/report.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace {

using apps::BlockRows;
using Labels = std::vector<int>;

struct Graph {
  int vertices;
  std::uint64_t seed;
  double density;  // the probability that an edge exists

  bool adjacent(int a, int b) const {
    const auto [low, high] = std::minmax(a, b);
    const std::uint64_t bits =
        apps::random_bits(seed, static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high));
    return a != b && apps::to_unit(bits) < density;
  }
};

struct CallCounts {
  int bcasts = 0;
  int gathers = 0;
  int barriers = 0;
};

class VertexCollapse {
 public:
  VertexCollapse(const Graph& graph, int rank, int ranks, apps::Imbalance& imbalance)
      : vertices_(graph.vertices),
        deal_(graph.vertices, ranks),
        first_(deal_.first(rank)),
        count_(deal_.count(rank)),
        is_root_(rank == 0),
        imbalance_(imbalance),
        adjacent_(static_cast<std::size_t>(count_) * static_cast<std::size_t>(vertices_)),
        mine_(static_cast<std::size_t>(deal_.block())),
        gathered_(is_root_ ? mine_.size() * static_cast<std::size_t>(ranks) : 0) {
    for (int i = 0; i < count_; ++i)
      for (int j = 0; j < vertices_; ++j) row(i)[j] = graph.adjacent(first_ + i, j);
  }

  // Returns the smallest vertex of its component for every vertex.
  Labels run() {
    Labels component(static_cast<std::size_t>(vertices_));
    std::iota(component.begin(), component.end(), 0);
    const int rounds = std::bit_width(static_cast<unsigned>(vertices_ - 1));  // ceil(log2 N)
    for (int round = 0; round < rounds; ++round) collapse_once(component, rounds);
    return component;
  }

  const CallCounts& calls() const { return calls_; }
  double collective_s() const { return clock_.total_s() + bcast_clock_.total_s(); }
  double bcast_s() const { return bcast_clock_.total_s(); }

 private:
  char* row(int i) {
    return adjacent_.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(vertices_);
  }

  void collapse_once(Labels& component, int jumps) {
    Labels candidate(component.size());
    step(candidate, [&](int i) { return smallest_neighbour(i, component); });
    barrier();
    const Labels chosen = candidate;
    step(candidate, [&](int i) { return smallest_choice(i, component, chosen); });
    barrier();
    step(component, [&](int i) { return candidate[i]; });
    barrier();
    for (int jump = 0; jump < jumps; ++jump) step(candidate, [&](int i) { return candidate[candidate[i]]; });
    step(component, [&](int i) { return std::min(candidate[i], component[candidate[i]]); });
    barrier();
  }

  // The smallest label other than its own among the neighbours of vertex i; its own if there is none.
  int smallest_neighbour(int i, const Labels& component) {
    int smallest = vertices_;
    const char* adjacent = row(i - first_);
    for (int j = 0; j < vertices_; ++j)
      if (adjacent[j] && component[j] != component[i]) smallest = std::min(smallest, component[j]);
    return smallest < vertices_ ? smallest : component[i];
  }

  // The smallest label that any member of component i chose; its own label if none chose.
  int smallest_choice(int i, const Labels& component, const Labels& chosen) const {
    int smallest = vertices_;
    for (int j = 0; j < vertices_; ++j)
      if (component[j] == i && chosen[j] != i) smallest = std::min(smallest, chosen[j]);
    return smallest < vertices_ ? smallest : component[i];
  }

  // Sets `labels[i] = rule(i)` for all vertices i on every rank. The rule reads the old labels.
  template <class Rule>
  void step(Labels& labels, Rule&& rule) {
    for (int i = 0; i < count_; ++i) mine_[i] = rule(first_ + i);
    const int block = deal_.block();
    clock_.time([&] {
      MPI_Gather(mine_.data(), block, MPI_INT, gathered_.data(), block, MPI_INT, 0, MPI_COMM_WORLD);
    });
    if (is_root_) std::copy_n(gathered_.begin(), vertices_, labels.begin());
    imbalance_.delay();
    bcast_clock_.time([&] { MPI_Bcast(labels.data(), vertices_, MPI_INT, 0, MPI_COMM_WORLD); });
    ++calls_.gathers;
    ++calls_.bcasts;
  }

  void barrier() {
    clock_.time([] { MPI_Barrier(MPI_COMM_WORLD); });
    ++calls_.barriers;
  }

  int vertices_;
  BlockRows deal_;
  int first_;
  int count_;
  bool is_root_;
  apps::Imbalance& imbalance_;
  std::vector<char> adjacent_;  // the rank's own rows
  Labels mine_;                 // a full block: MPI_Gather needs equal block sizes
  Labels gathered_;             // blocks of all ranks, at rank 0
  CallCounts calls_;
  apps::CollectiveClock clock_, bcast_clock_;  // of the other calls, of broadcasts
};

int find_root(Labels& parent, int vertex) {
  while (parent[vertex] != vertex) vertex = parent[vertex] = parent[parent[vertex]];
  return vertex;
}

// The smaller root always wins, so the root of a component is its smallest vertex.
Labels components_by_union_find(const Graph& graph) {
  Labels parent(static_cast<std::size_t>(graph.vertices));
  std::iota(parent.begin(), parent.end(), 0);
  for (int a = 0; a < graph.vertices; ++a)
    for (int b = a + 1; b < graph.vertices; ++b)
      if (graph.adjacent(a, b)) {
        const auto [low, high] = std::minmax({find_root(parent, a), find_root(parent, b)});
        parent[high] = low;
      }
  for (int v = 0; v < graph.vertices; ++v) parent[v] = find_root(parent, v);
  return parent;
}

// Covers the rank's own vertices: the shares of all ranks add up to the same sum for any number of ranks.
std::uint64_t checksum_of(const Labels& labels, const BlockRows& deal, int rank) {
  std::uint64_t sum = 0;
  for (int v = deal.first(rank); v < deal.first(rank + 1); ++v)
    sum += apps::random_bits(0, static_cast<std::uint64_t>(v), static_cast<std::uint64_t>(labels[v]));
  return sum;
}

int solve(const Graph& graph, const std::string& arrivals, bool verify) {
  apps::Imbalance imbalance;
  if (!imbalance.load("vcc", arrivals, graph.seed)) return 2;
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  VertexCollapse collapse(graph, rank, ranks, imbalance);

  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  const Labels labels = collapse.run();
  const double total_s = MPI_Wtime() - begin;

  const bool verified = verify && labels == components_by_union_find(graph);
  int components = 0;
  for (int v = 0; v < graph.vertices; ++v) components += labels[v] == v ? 1 : 0;
  const CallCounts& calls = collapse.calls();
  char parameters[200];
  std::snprintf(parameters, sizeof parameters,
                "vertices=%d seed=%llu density=%g components=%d bcasts=%d gathers=%d barriers=%d",
                graph.vertices, static_cast<unsigned long long>(graph.seed), graph.density, components,
                calls.bcasts, calls.gathers, calls.barriers);
  return apps::report("vcc", std::string(parameters) + " imbalance=" + arrivals,
                      {total_s, collapse.collective_s(), collapse.bcast_s(),
                       checksum_of(labels, BlockRows(graph.vertices, ranks), rank), verify, verified});
}

}  // namespace

int main(int argc, char** argv) {
  std::int64_t vertices = 1024;
  std::int64_t seed = 1;
  double density = 0.001;
  std::string imbalance = "none";
  const apps::Option options[] = {
      {"vertices", "vertices of the graph", &vertices, 1, 1 << 20},
      {"seed", "seed of the random graph", &seed, 0, 1e18},
      {"density", "probability of each edge", &density, 0, 1},
      {"imbalance", "how late ranks come to each broadcast, like uniform:5ms, or a file", &imbalance},
  };
  return apps::run_program("vcc", options, argc, argv, [&](bool verify) {
    return solve({static_cast<int>(vertices), static_cast<std::uint64_t>(seed), density}, imbalance, verify);
  });
}
