#include "bench/tune/calls.hpp"

#include <algorithm>

#include "bench/tune/names.hpp"
#include "mpi_versions.h"

// Programs built with one version of an MPI run with others. Those of Open MPI have two names.
#define TUTTI_PRAGMA(...) _Pragma(#__VA_ARGS__)
#ifdef OPEN_MPI
#define TUTTI_MAY_BE_MISSING(name) TUTTI_PRAGMA(weak MPI_##name##_init) TUTTI_PRAGMA(weak MPIX_##name##_init)
#else
#define TUTTI_MAY_BE_MISSING(name) TUTTI_PRAGMA(weak MPI_##name##_init)
#endif
TUTTI_MAY_BE_MISSING(Barrier)
TUTTI_MAY_BE_MISSING(Bcast)
TUTTI_MAY_BE_MISSING(Reduce)
TUTTI_MAY_BE_MISSING(Allreduce)
TUTTI_MAY_BE_MISSING(Reduce_scatter)
TUTTI_MAY_BE_MISSING(Reduce_scatter_block)
TUTTI_MAY_BE_MISSING(Allgather)
TUTTI_MAY_BE_MISSING(Allgatherv)
TUTTI_MAY_BE_MISSING(Alltoall)
TUTTI_MAY_BE_MISSING(Gather)
TUTTI_MAY_BE_MISSING(Scatter)
TUTTI_MAY_BE_MISSING(Scan)
TUTTI_MAY_BE_MISSING(Exscan)
#undef TUTTI_MAY_BE_MISSING
#undef TUTTI_PRAGMA

namespace tutti::bench {

using algorithm::Collective;

namespace {

constexpr int k_root = 0;

#ifdef OPEN_MPI
#define TUTTI_PERSISTENT(name, ...) \
  (MPI_##name##_init != nullptr ? MPI_##name##_init(__VA_ARGS__) : MPIX_##name##_init(__VA_ARGS__))
#else
#define TUTTI_PERSISTENT(name, ...) MPI_##name##_init(__VA_ARGS__)
#endif

// The names of one collective: Bcast, Ibcast, Bcast_init. The arguments are all but the communicator.
#define TUTTI_CALLS(collective, name, nonblocking, ...)                                             \
  TunedCalls {                                                                                      \
    collective, [](TunedData& d) { return MPI_##name(__VA_ARGS__ __VA_OPT__(, ) d.comm); },         \
        [](TunedData& d) { return PMPI_##name(__VA_ARGS__ __VA_OPT__(, ) d.comm); },                \
        [](TunedData& d, MPI_Request* request) {                                                    \
          return MPI_##nonblocking(__VA_ARGS__ __VA_OPT__(, ) d.comm, request);                     \
        },                                                                                          \
        []([[maybe_unused]] TunedData& d, [[maybe_unused]] MPI_Request* request) {                  \
          return TUTTI_PERSISTENT(name, __VA_ARGS__ __VA_OPT__(, ) d.comm, MPI_INFO_NULL, request); \
        }                                                                                           \
  }

#define TUTTI_SUM MPI_DOUBLE, MPI_SUM
#define TUTTI_BLOCK_IN d.in.data(), d.block_bytes, MPI_BYTE
#define TUTTI_BLOCK_OUT d.out.data(), d.block_bytes, MPI_BYTE

std::vector<TunedCalls> make_table() {
  return {
      TUTTI_CALLS(Collective::barrier, Barrier, Ibarrier),
      TUTTI_CALLS(Collective::bcast, Bcast, Ibcast, TUTTI_BLOCK_OUT, k_root),
      TUTTI_CALLS(Collective::reduce, Reduce, Ireduce, d.in.data(), d.out.data(), d.vector_count, TUTTI_SUM,
                  k_root),
      TUTTI_CALLS(Collective::allreduce, Allreduce, Iallreduce, d.in.data(), d.out.data(), d.vector_count,
                  TUTTI_SUM),
      TUTTI_CALLS(Collective::reduce_scatter, Reduce_scatter, Ireduce_scatter, d.in.data(), d.out.data(),
                  d.part_counts.data(), TUTTI_SUM),
      TUTTI_CALLS(Collective::reduce_scatter_block, Reduce_scatter_block, Ireduce_scatter_block, d.in.data(),
                  d.out.data(), d.part_counts.front(), TUTTI_SUM),
      TUTTI_CALLS(Collective::allgather, Allgather, Iallgather, TUTTI_BLOCK_IN, TUTTI_BLOCK_OUT),
      TUTTI_CALLS(Collective::allgatherv, Allgatherv, Iallgatherv, TUTTI_BLOCK_IN, d.out.data(),
                  d.block_counts.data(), d.block_places.data(), MPI_BYTE),
      TUTTI_CALLS(Collective::alltoall, Alltoall, Ialltoall, TUTTI_BLOCK_IN, TUTTI_BLOCK_OUT),
      TUTTI_CALLS(Collective::gather, Gather, Igather, TUTTI_BLOCK_IN, TUTTI_BLOCK_OUT, k_root),
      TUTTI_CALLS(Collective::scatter, Scatter, Iscatter, TUTTI_BLOCK_IN, TUTTI_BLOCK_OUT, k_root),
      TUTTI_CALLS(Collective::scan, Scan, Iscan, d.in.data(), d.out.data(), d.vector_count, TUTTI_SUM),
      TUTTI_CALLS(Collective::exscan, Exscan, Iexscan, d.in.data(), d.out.data(), d.vector_count, TUTTI_SUM),
  };
}

#undef TUTTI_CALLS
#undef TUTTI_PERSISTENT
#undef TUTTI_SUM
#undef TUTTI_BLOCK_IN
#undef TUTTI_BLOCK_OUT

uint64_t rounded_up(uint64_t bytes, uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// The exact size of calls of about `bytes`.
uint64_t true_bytes(Collective collective, uint64_t bytes, uint64_t ranks) {
  switch (collective) {
    case Collective::barrier:
      return 0;
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan:
      return rounded_up(bytes, sizeof(double));
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      return rounded_up(bytes, sizeof(double) * ranks);
    default:
      return bytes;
  }
}

const std::vector<TunedCalls>& all_tuned_calls() {
  static const std::vector<TunedCalls> table = make_table();
  return table;
}

}  // namespace

std::vector<std::string> tuned_names() {
  std::vector<std::string> names;
  for (const TunedCalls& calls : all_tuned_calls())
    names.emplace_back(algorithm::to_string(calls.collective));
  return names;
}

const TunedCalls* find_tuned_calls(const std::string& collective) {
  for (const TunedCalls& calls : all_tuned_calls())
    if (algorithm::to_string(calls.collective) == collective) return &calls;
  return nullptr;
}

bool has_persistent_collectives() {
#ifdef OPEN_MPI
  return MPI_Barrier_init != nullptr || MPIX_Barrier_init != nullptr;
#else
  return MPI_Barrier_init != nullptr;
#endif
}

TunedData make_tuned_data(Collective collective, uint64_t wanted_bytes, MPI_Comm comm) {
  int size = 1;
  PMPI_Comm_size(comm, &size);
  const auto ranks = static_cast<size_t>(size);
  const uint64_t bytes = true_bytes(collective, wanted_bytes, ranks);
  const bool has_blocks = collective == Collective::allgather || collective == Collective::allgatherv ||
                          collective == Collective::alltoall || collective == Collective::gather ||
                          collective == Collective::scatter;
  const size_t elements = rounded_up(bytes, sizeof(double)) / sizeof(double) * (has_blocks ? ranks : 1);
  const auto block_bytes = static_cast<int>(bytes);
  TunedData data{.comm = comm,
                 .bytes = bytes,
                 .block_bytes = block_bytes,
                 .vector_count = static_cast<int>(bytes / sizeof(double)),
                 .in = std::vector<double>(std::max<size_t>(elements, 1), 1.0),
                 .out = std::vector<double>(std::max<size_t>(elements, 1), 1.0),
                 .block_counts = std::vector<int>(ranks, block_bytes),
                 .block_places = std::vector<int>(ranks),
                 .part_counts = std::vector<int>(ranks, static_cast<int>(bytes / sizeof(double) / ranks))};
  for (size_t rank = 0; rank < ranks; ++rank) data.block_places[rank] = block_bytes * static_cast<int>(rank);
  return data;
}

}  // namespace tutti::bench
