#include "algorithm/catalogue.hpp"

#include <array>

// One line per algorithm: the name of the constant that its source file defines.
#define TUTTI_CATALOGUE(ROW)                  \
  ROW(barrier_dissemination)                  \
  ROW(barrier_descriptor)                     \
  ROW(barrier_tree)                           \
  ROW(barrier_hierarchical)                   \
  ROW(bcast_linear)                           \
  ROW(bcast_chain)                            \
  ROW(bcast_knomial)                          \
  ROW(bcast_bine)                             \
  ROW(bcast_rdaas)                            \
  ROW(bcast_ringaas)                          \
  ROW(bcast_shared)                           \
  ROW(bcast_hierarchical)                     \
  ROW(bcast_late_last)                        \
  ROW(bcast_ordered)                          \
  ROW(reduce_knomial)                         \
  ROW(reduce_bine)                            \
  ROW(reduce_chain)                           \
  ROW(reduce_rsg)                             \
  ROW(reduce_hierarchical)                    \
  ROW(reduce_ordered)                         \
  ROW(allreduce_recursive_doubling)           \
  ROW(allreduce_ring)                         \
  ROW(allreduce_rabenseifner)                 \
  ROW(allreduce_bine)                         \
  ROW(allreduce_reduce_bcast)                 \
  ROW(allreduce_hierarchical)                 \
  ROW(allreduce_late_last)                    \
  ROW(allreduce_ordered)                      \
  ROW(reduce_scatter_ring)                    \
  ROW(reduce_scatter_recursive_halving)       \
  ROW(reduce_scatter_bine)                    \
  ROW(reduce_scatter_pat)                     \
  ROW(reduce_scatter_pairwise)                \
  ROW(reduce_scatter_hierarchical)            \
  ROW(reduce_scatter_node_pairwise)           \
  ROW(reduce_scatter_block_ring)              \
  ROW(reduce_scatter_block_recursive_halving) \
  ROW(reduce_scatter_block_bine)              \
  ROW(reduce_scatter_block_pat)               \
  ROW(reduce_scatter_block_pairwise)          \
  ROW(reduce_scatter_block_hierarchical)      \
  ROW(reduce_scatter_block_node_pairwise)     \
  ROW(allgather_ring)                         \
  ROW(allgather_recursive_doubling)           \
  ROW(allgather_bine)                         \
  ROW(allgather_pat)                          \
  ROW(allgather_bruck)                        \
  ROW(allgather_neighbour_exchange)           \
  ROW(allgather_hierarchical)                 \
  ROW(allgather_ordered)                      \
  ROW(allgatherv_ring)                        \
  ROW(allgatherv_recursive_doubling)          \
  ROW(allgatherv_bine)                        \
  ROW(allgatherv_pat)                         \
  ROW(allgatherv_bruck)                       \
  ROW(allgatherv_neighbour_exchange)          \
  ROW(allgatherv_hierarchical)                \
  ROW(allgatherv_ordered)                     \
  ROW(alltoall_linear)                        \
  ROW(alltoall_pairwise)                      \
  ROW(alltoall_ring)                          \
  ROW(alltoall_node_ring)                     \
  ROW(alltoall_bruck)                         \
  ROW(alltoall_ordered)                       \
  ROW(alltoall_hierarchical)                  \
  ROW(alltoallv_linear)                       \
  ROW(alltoallv_pairwise)                     \
  ROW(alltoallv_ring)                         \
  ROW(alltoallv_node_ring)                    \
  ROW(alltoallv_parlogna)                     \
  ROW(alltoallv_parlinna)                     \
  ROW(alltoallv_ordered)                      \
  ROW(alltoallw_linear)                       \
  ROW(alltoallw_pairwise)                     \
  ROW(alltoallw_ring)                         \
  ROW(alltoallw_node_ring)                    \
  ROW(alltoallw_ordered)                      \
  ROW(gather_binomial)                        \
  ROW(gather_bine)                            \
  ROW(gather_linear)                          \
  ROW(gather_hierarchical)                    \
  ROW(gather_ordered)                         \
  ROW(gatherv_binomial)                       \
  ROW(gatherv_bine)                           \
  ROW(gatherv_linear)                         \
  ROW(gatherv_hierarchical)                   \
  ROW(gatherv_ordered)                        \
  ROW(scatter_binomial)                       \
  ROW(scatter_bine)                           \
  ROW(scatter_linear)                         \
  ROW(scatter_hierarchical)                   \
  ROW(scatter_ordered)                        \
  ROW(scatterv_binomial)                      \
  ROW(scatterv_bine)                          \
  ROW(scatterv_linear)                        \
  ROW(scatterv_hierarchical)                  \
  ROW(scatterv_ordered)                       \
  ROW(scan_linear)                            \
  ROW(scan_recursive_doubling)                \
  ROW(exscan_linear)                          \
  ROW(exscan_recursive_doubling)

namespace tutti::algorithm {

#define TUTTI_DECLARE(constant) extern const Algorithm constant;
TUTTI_CATALOGUE(TUTTI_DECLARE)
#undef TUTTI_DECLARE

std::span<const Algorithm* const> catalogue() {
#define TUTTI_ADDRESS(constant) &(constant),
  static constexpr auto k_rows = std::to_array<const Algorithm*>({TUTTI_CATALOGUE(TUTTI_ADDRESS)});
#undef TUTTI_ADDRESS
  return k_rows;
}

const Algorithm* find(Collective collective, std::string_view name) {
  for (const Algorithm* row : catalogue())
    if (row->collective == collective && row->name == name) return row;
  return nullptr;
}

}  // namespace tutti::algorithm
