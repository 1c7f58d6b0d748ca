// Virtual topologies (MPI 4.0, chapter 8).

#include <algorithm>
#include <climits>
#include <cstdint>
#include <numeric>
#include <utility>

#include "actors/calls/rank.hpp"
#include "actors/calls/virtual_topology.hpp"
#include "calls.hpp"

namespace tutti::actors {

namespace {

std::vector<int> coordinates_of(const Cartesian& grid, int rank) {
  std::vector<int> coordinates(grid.dims.size());
  for (size_t i = grid.dims.size(); i-- > 0;) {
    coordinates[i] = rank % grid.dims[i];
    rank /= grid.dims[i];
  }
  return coordinates;
}

/// MPI_PROC_NULL outside a non-periodic dimension.
int rank_at(const Cartesian& grid, std::span<const int> coordinates) {
  int rank = 0;
  for (size_t i = 0; i < grid.dims.size(); ++i) {
    int at = coordinates[i];
    if (grid.periods[i] != 0) at = ((at % grid.dims[i]) + grid.dims[i]) % grid.dims[i];
    if (at < 0 || at >= grid.dims[i]) return MPI_PROC_NULL;
    rank = rank * grid.dims[i] + at;
  }
  return rank;
}

int shifted(const Cartesian& grid, int rank, size_t direction, int by) {
  std::vector<int> coordinates = coordinates_of(grid, rank);
  coordinates[direction] += by;
  return rank_at(grid, coordinates);
}

/// The number of ranks in a grid, limited to INT_MAX + 1: more than there can be ranks.
int64_t volume_of(std::span<const int> dims) {
  constexpr int64_t k_too_many = int64_t{INT_MAX} + 1;
  int64_t volume = 1;
  for (const int dim : dims) volume = std::min(volume * dim, k_too_many);
  return volume;
}

template <class Kind>
Kind* topology_of(Rank& me, MPI_Comm comm, Communicator** on) {
  *on = me.find(comm);
  return *on == nullptr ? nullptr : std::get_if<Kind>(&(*on)->topology);
}

int no_topology(Rank& me, const Communicator* on) {
  return me.result(on, on == nullptr ? MPI_ERR_COMM : MPI_ERR_TOPOLOGY);
}

void copy_part(const std::vector<int>& from, int most, int* to) {
  std::copy_n(from.begin(), std::min<size_t>(from.size(), static_cast<size_t>(std::max(most, 0))), to);
}

}  // namespace

Neighbours neighbours_of(const Communicator& on) {
  Neighbours found;
  if (const auto* const grid = std::get_if<Cartesian>(&on.topology)) {
    for (size_t i = 0; i < grid->dims.size(); ++i)
      for (const int by : {-1, 1}) found.sources.push_back(shifted(*grid, on.rank(), i, by));
    found.destinations = found.sources;
  } else if (const auto* const graph = std::get_if<Graph>(&on.topology)) {
    const auto me = static_cast<size_t>(on.rank());
    const int first = me == 0 ? 0 : graph->index[me - 1];
    found.sources.assign(graph->edges.begin() + first, graph->edges.begin() + graph->index[me]);
    found.destinations = found.sources;
  } else if (const auto* const distributed = std::get_if<DistributedGraph>(&on.topology)) {
    found.sources = distributed->sources;
    found.destinations = distributed->destinations;
  }
  return found;
}

namespace {

/// Creates a communicator with a topology for ranks 0 to count - 1.
template <class Kind>
int make(Rank& me, Communicator& from, int count, Kind kind, MPI_Comm* newcomm) {
  const bool is_in = from.rank() < count;
  const int code = calls::Comm_split(me, from.handle, is_in ? 0 : MPI_UNDEFINED, from.rank(), newcomm);
  if (code == MPI_SUCCESS && is_in) me.find(*newcomm)->topology = std::move(kind);
  return code;
}

}  // namespace

namespace calls {

// NOLINTBEGIN(readability-identifier-naming): names of MPI
int Cart_create(Rank& me, MPI_Comm comm, int ndims, const int dims[], const int periods[], int,
                MPI_Comm* newcomm) {
  int code = MPI_SUCCESS;
  Communicator* const from = me.find_original(comm, newcomm, &code);
  if (from == nullptr) return code;
  if (ndims < 0) return me.result(from, MPI_ERR_DIMS);
  Cartesian grid{{dims, dims + ndims}, {periods, periods + ndims}};
  if (std::ranges::any_of(grid.dims, [](int dim) { return dim <= 0; })) return me.result(from, MPI_ERR_DIMS);
  const int64_t count = volume_of(grid.dims);
  if (count > from->size()) return me.result(from, MPI_ERR_DIMS);
  return make(me, *from, static_cast<int>(count), std::move(grid), newcomm);
}

int Cart_get(Rank& me, MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]) {
  Communicator* on = nullptr;
  const auto* const grid = topology_of<Cartesian>(me, comm, &on);
  if (grid == nullptr) return no_topology(me, on);
  copy_part(grid->dims, maxdims, dims);
  copy_part(grid->periods, maxdims, periods);
  copy_part(coordinates_of(*grid, on->rank()), maxdims, coords);
  return MPI_SUCCESS;
}

int Cart_rank(Rank& me, MPI_Comm comm, const int coords[], int* rank) {
  Communicator* on = nullptr;
  const auto* const grid = topology_of<Cartesian>(me, comm, &on);
  if (grid == nullptr) return no_topology(me, on);
  *rank = rank_at(*grid, {coords, grid->dims.size()});
  return *rank == MPI_PROC_NULL ? me.result(on, MPI_ERR_ARG) : MPI_SUCCESS;
}

int Cart_coords(Rank& me, MPI_Comm comm, int rank, int maxdims, int coords[]) {
  Communicator* on = nullptr;
  const auto* const grid = topology_of<Cartesian>(me, comm, &on);
  if (grid == nullptr) return no_topology(me, on);
  if (!on->has_rank(rank)) return me.result(on, MPI_ERR_RANK);
  copy_part(coordinates_of(*grid, rank), maxdims, coords);
  return MPI_SUCCESS;
}

int Cart_shift(Rank& me, MPI_Comm comm, int direction, int disp, int* source, int* dest) {
  Communicator* on = nullptr;
  const auto* const grid = topology_of<Cartesian>(me, comm, &on);
  if (grid == nullptr) return no_topology(me, on);
  if (direction < 0 || static_cast<size_t>(direction) >= grid->dims.size()) return me.result(on, MPI_ERR_ARG);
  *source = shifted(*grid, on->rank(), static_cast<size_t>(direction), -disp);
  *dest = shifted(*grid, on->rank(), static_cast<size_t>(direction), disp);
  return MPI_SUCCESS;
}

int Cart_sub(Rank& me, MPI_Comm comm, const int remain[], MPI_Comm* newcomm) {
  Communicator* on = nullptr;
  const auto* const grid = topology_of<Cartesian>(me, comm, &on);
  if (grid == nullptr) return no_topology(me, on);
  const std::vector<int> mine = coordinates_of(*grid, on->rank());
  Cartesian rest;
  int color = 0, key = 0;
  for (size_t i = 0; i < grid->dims.size(); ++i) {
    int& number = remain[i] != 0 ? key : color;
    number = number * grid->dims[i] + mine[i];
    if (remain[i] == 0) continue;
    rest.dims.push_back(grid->dims[i]);
    rest.periods.push_back(grid->periods[i]);
  }
  const int code = Comm_split(me, comm, color, key, newcomm);
  if (code == MPI_SUCCESS) me.find(*newcomm)->topology = std::move(rest);
  return code;
}

int Cart_map(Rank& me, MPI_Comm comm, int ndims, const int dims[], const int[], int* newrank) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  if (ndims < 0) return me.result(on, MPI_ERR_DIMS);
  *newrank = on->rank() < volume_of({dims, static_cast<size_t>(ndims)}) ? on->rank() : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int Cartdim_get(Rank& me, MPI_Comm comm, int* ndims) {
  Communicator* on = nullptr;
  const auto* const grid = topology_of<Cartesian>(me, comm, &on);
  if (grid == nullptr) return no_topology(me, on);
  *ndims = static_cast<int>(grid->dims.size());
  return MPI_SUCCESS;
}

int Topo_test(Rank& me, MPI_Comm comm, int* status) {
  const Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  constexpr int k_kinds[] = {MPI_UNDEFINED, MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH};
  *status = k_kinds[on->topology.index()];
  return MPI_SUCCESS;
}

int Graph_create(Rank& me, MPI_Comm comm, int nnodes, const int index[], const int edges[], int,
                 MPI_Comm* newcomm) {
  int code = MPI_SUCCESS;
  Communicator* const from = me.find_original(comm, newcomm, &code);
  if (from == nullptr) return code;
  if (nnodes < 0 || nnodes > from->size()) return me.result(from, MPI_ERR_ARG);
  Graph graph{{index, index + nnodes}, {}};
  if (nnodes > 0) graph.edges.assign(edges, edges + graph.index.back());
  return make(me, *from, nnodes, std::move(graph), newcomm);
}

int Graphdims_get(Rank& me, MPI_Comm comm, int* nnodes, int* nedges) {
  Communicator* on = nullptr;
  const auto* const graph = topology_of<Graph>(me, comm, &on);
  if (graph == nullptr) return no_topology(me, on);
  *nnodes = static_cast<int>(graph->index.size());
  *nedges = static_cast<int>(graph->edges.size());
  return MPI_SUCCESS;
}

int Graph_get(Rank& me, MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]) {
  Communicator* on = nullptr;
  const auto* const graph = topology_of<Graph>(me, comm, &on);
  if (graph == nullptr) return no_topology(me, on);
  copy_part(graph->index, maxindex, index);
  copy_part(graph->edges, maxedges, edges);
  return MPI_SUCCESS;
}

int Graph_map(Rank& me, MPI_Comm comm, int nnodes, const int[], const int[], int* newrank) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  *newrank = on->rank() < nnodes ? on->rank() : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int Graph_neighbors_count(Rank& me, MPI_Comm comm, int rank, int* count) {
  Communicator* on = nullptr;
  const auto* const graph = topology_of<Graph>(me, comm, &on);
  if (graph == nullptr) return no_topology(me, on);
  if (!on->has_rank(rank)) return me.result(on, MPI_ERR_RANK);
  const auto r = static_cast<size_t>(rank);
  *count = graph->index[r] - (r == 0 ? 0 : graph->index[r - 1]);
  return MPI_SUCCESS;
}

int Graph_neighbors(Rank& me, MPI_Comm comm, int rank, int most, int neighbours[]) {
  Communicator* on = nullptr;
  const auto* const graph = topology_of<Graph>(me, comm, &on);
  if (graph == nullptr) return no_topology(me, on);
  if (!on->has_rank(rank)) return me.result(on, MPI_ERR_RANK);
  const auto r = static_cast<size_t>(rank);
  const int first = r == 0 ? 0 : graph->index[r - 1];
  copy_part({graph->edges.begin() + first, graph->edges.begin() + graph->index[r]}, most, neighbours);
  return MPI_SUCCESS;
}
// NOLINTEND(readability-identifier-naming)

}  // namespace calls

}  // namespace tutti::actors
