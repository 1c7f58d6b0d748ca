#pragma once
// Converts the arguments of a collective call to a request of the algorithm catalogue. All functions return
// an error class, or MPI_SUCCESS. A nonblocking call has the arguments of the blocking one.

#include <mpi.h>

#include "actors/calls/collective_request.hpp"
#include "mpi/data/arguments.hpp"

namespace tutti::actors::arguments {

int barrier(CollectiveRequest& call);
int bcast(CollectiveRequest& call, void* buffer, int64_t count, MPI_Datatype type, int root);
int reduce(CollectiveRequest& call, const void* input, void* output, int64_t count, MPI_Datatype type,
           MPI_Op op, int root);
int allreduce(CollectiveRequest& call, const void* input, void* output, int64_t count, MPI_Datatype type,
              MPI_Op op);
int scan(CollectiveRequest& call, const void* input, void* output, int64_t count, MPI_Datatype type,
         MPI_Op op);
int exscan(CollectiveRequest& call, const void* input, void* output, int64_t count, MPI_Datatype type,
           MPI_Op op);
int reduce_scatter_block(CollectiveRequest& call, const void* input, void* output, int64_t count,
                         MPI_Datatype type, MPI_Op op);
int reduce_scatter(CollectiveRequest& call, const void* input, void* output, mpi::Numbers counts,
                   MPI_Datatype type, MPI_Op op);
int allgather(CollectiveRequest& call, const void* input, int64_t send_count, MPI_Datatype send_type,
              void* output, int64_t receive_count, MPI_Datatype receive_type);
int allgatherv(CollectiveRequest& call, const void* input, int64_t send_count, MPI_Datatype send_type,
               void* output, mpi::Numbers counts, mpi::Numbers displacements, MPI_Datatype receive_type);
int gather(CollectiveRequest& call, const void* input, int64_t send_count, MPI_Datatype send_type,
           void* output, int64_t receive_count, MPI_Datatype receive_type, int root);
int gatherv(CollectiveRequest& call, const void* input, int64_t send_count, MPI_Datatype send_type,
            void* output, mpi::Numbers counts, mpi::Numbers displacements, MPI_Datatype receive_type,
            int root);
int scatter(CollectiveRequest& call, const void* input, int64_t send_count, MPI_Datatype send_type,
            void* output, int64_t receive_count, MPI_Datatype receive_type, int root);
int scatterv(CollectiveRequest& call, const void* input, mpi::Numbers counts, mpi::Numbers displacements,
             MPI_Datatype send_type, void* output, int64_t receive_count, MPI_Datatype receive_type,
             int root);
int alltoall(CollectiveRequest& call, const void* input, int64_t send_count, MPI_Datatype send_type,
             void* output, int64_t receive_count, MPI_Datatype receive_type);
int alltoallv(CollectiveRequest& call, const void* input, mpi::Numbers send_counts,
              mpi::Numbers send_displacements, MPI_Datatype send_type, void* output,
              mpi::Numbers receive_counts, mpi::Numbers receive_displacements, MPI_Datatype receive_type);
/// The datatypes are handles of the native MPI.
int alltoallw(CollectiveRequest& call, const void* input, mpi::Numbers send_counts,
              mpi::Numbers send_displacements, const MPI_Datatype* send_types, void* output,
              mpi::Numbers receive_counts, mpi::Numbers receive_displacements,
              const MPI_Datatype* receive_types);

}  // namespace tutti::actors::arguments
