#pragma once
// The collectives that Tutti serves: each function turns MPI arguments into a request, bound buffers and a running
// schedule (collective/mpi/arguments). False: the native MPI takes the call. True: the call is done, and Call::result()
// has its result.

#include <mpi.h>

#include <cstdint>

#include "collective/mpi/data/arguments.hpp"
#include "mpi/call/call.hpp"

namespace tutti::mpi {

bool barrier(Call& call);
bool bcast(Call& call, void* buffer, int64_t count, MPI_Datatype type, int root);

bool reduce(Call& call, const void* input, void* output, int64_t count, MPI_Datatype type, MPI_Op op,
            int root);
bool allreduce(Call& call, const void* input, void* output, int64_t count, MPI_Datatype type, MPI_Op op);
bool reduce_scatter(Call& call, const void* input, void* output, Numbers counts, MPI_Datatype type,
                    MPI_Op op);
bool reduce_scatter_block(Call& call, const void* input, void* output, int64_t count, MPI_Datatype type,
                          MPI_Op op);
bool scan(Call& call, const void* input, void* output, int64_t count, MPI_Datatype type, MPI_Op op);
bool exscan(Call& call, const void* input, void* output, int64_t count, MPI_Datatype type, MPI_Op op);

bool allgather(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
               int64_t receive_count, MPI_Datatype receive_type);
bool allgatherv(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
                Numbers receive_counts, Numbers displacements, MPI_Datatype receive_type);
bool gather(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
            int64_t receive_count, MPI_Datatype receive_type, int root);
bool gatherv(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
             Numbers receive_counts, Numbers displacements, MPI_Datatype receive_type, int root);
bool scatter(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
             int64_t receive_count, MPI_Datatype receive_type, int root);
bool scatterv(Call& call, const void* input, Numbers send_counts, Numbers displacements,
              MPI_Datatype send_type, void* output, int64_t receive_count, MPI_Datatype receive_type,
              int root);
bool alltoall(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
              int64_t receive_count, MPI_Datatype receive_type);
bool alltoallv(Call& call, const void* input, Numbers send_counts, Numbers send_displacements,
               MPI_Datatype send_type, void* output, Numbers receive_counts, Numbers receive_displacements,
               MPI_Datatype receive_type);
bool alltoallw(Call& call, const void* input, Numbers send_counts, Numbers send_displacements,
               const MPI_Datatype* send_types, void* output, Numbers receive_counts,
               Numbers receive_displacements, const MPI_Datatype* receive_types);

}  // namespace tutti::mpi
