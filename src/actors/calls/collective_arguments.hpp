#pragma once
// The arguments of collective calls of ranks as threads. For calls that move data without reducing, the functions are
// those of the preload library (mpi/arguments). CollectiveRequest::error() has the result. A nonblocking call has the
// arguments of the blocking one.

#include <mpi.h>

#include "actors/calls/collective_request.hpp"
#include "mpi/arguments/equal_blocks.hpp"
#include "mpi/arguments/one_to_all.hpp"
#include "mpi/arguments/vectors.hpp"

namespace tutti::actors::arguments {

using mpi::arguments::allgather;
using mpi::arguments::allgatherv;
using mpi::arguments::alltoall;
using mpi::arguments::alltoallv;
using mpi::arguments::alltoallw;
using mpi::arguments::barrier;
using mpi::arguments::bcast;
using mpi::arguments::gather;
using mpi::arguments::gatherv;
using mpi::arguments::scatter;
using mpi::arguments::scatterv;

// Reductions send whole elements, including padding, because operators may access it.
bool reduce(CollectiveRequest& call, const void* input, void* output, int64_t count, MPI_Datatype type,
            MPI_Op op, int root);
bool allreduce(CollectiveRequest& call, const void* input, void* output, int64_t count, MPI_Datatype type,
               MPI_Op op);
bool scan(CollectiveRequest& call, const void* input, void* output, int64_t count, MPI_Datatype type,
          MPI_Op op);
bool exscan(CollectiveRequest& call, const void* input, void* output, int64_t count, MPI_Datatype type,
            MPI_Op op);
bool reduce_scatter_block(CollectiveRequest& call, const void* input, void* output, int64_t count,
                          MPI_Datatype type, MPI_Op op);
bool reduce_scatter(CollectiveRequest& call, const void* input, void* output, mpi::Numbers counts,
                    MPI_Datatype type, MPI_Op op);

}  // namespace tutti::actors::arguments
