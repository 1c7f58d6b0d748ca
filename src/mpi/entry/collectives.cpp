// The shared argument functions, for the preload library.

#include "mpi/entry/collectives.hpp"

#include "collective/mpi/arguments/collectives.hpp"

namespace tutti::mpi {

bool barrier(Call& call) {
  return arguments::barrier(call);
}

bool bcast(Call& call, void* buffer, int64_t count, MPI_Datatype type, int root) {
  return arguments::bcast(call, buffer, count, type, root);
}

bool reduce(Call& call, const void* input, void* output, int64_t count, MPI_Datatype type, MPI_Op op,
            int root) {
  return arguments::reduce(call, input, output, count, type, op, root);
}

bool allreduce(Call& call, const void* input, void* output, int64_t count, MPI_Datatype type, MPI_Op op) {
  return arguments::allreduce(call, input, output, count, type, op);
}

bool reduce_scatter(Call& call, const void* input, void* output, Numbers counts, MPI_Datatype type,
                    MPI_Op op) {
  return arguments::reduce_scatter(call, input, output, counts, type, op);
}

bool reduce_scatter_block(Call& call, const void* input, void* output, int64_t count, MPI_Datatype type,
                          MPI_Op op) {
  return arguments::reduce_scatter_block(call, input, output, count, type, op);
}

bool scan(Call& call, const void* input, void* output, int64_t count, MPI_Datatype type, MPI_Op op) {
  return arguments::scan(call, input, output, count, type, op);
}

bool exscan(Call& call, const void* input, void* output, int64_t count, MPI_Datatype type, MPI_Op op) {
  return arguments::exscan(call, input, output, count, type, op);
}

bool allgather(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
               int64_t receive_count, MPI_Datatype receive_type) {
  return arguments::allgather(call, input, send_count, send_type, output, receive_count, receive_type);
}

bool allgatherv(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
                Numbers receive_counts, Numbers displacements, MPI_Datatype receive_type) {
  return arguments::allgatherv(call, input, send_count, send_type, output, receive_counts, displacements,
                               receive_type);
}

bool gather(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
            int64_t receive_count, MPI_Datatype receive_type, int root) {
  return arguments::gather(call, input, send_count, send_type, output, receive_count, receive_type, root);
}

bool gatherv(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
             Numbers receive_counts, Numbers displacements, MPI_Datatype receive_type, int root) {
  return arguments::gatherv(call, input, send_count, send_type, output, receive_counts, displacements,
                            receive_type, root);
}

bool scatter(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
             int64_t receive_count, MPI_Datatype receive_type, int root) {
  return arguments::scatter(call, input, send_count, send_type, output, receive_count, receive_type, root);
}

bool scatterv(Call& call, const void* input, Numbers send_counts, Numbers displacements,
              MPI_Datatype send_type, void* output, int64_t receive_count, MPI_Datatype receive_type,
              int root) {
  return arguments::scatterv(call, input, send_counts, displacements, send_type, output, receive_count,
                             receive_type, root);
}

bool alltoall(Call& call, const void* input, int64_t send_count, MPI_Datatype send_type, void* output,
              int64_t receive_count, MPI_Datatype receive_type) {
  return arguments::alltoall(call, input, send_count, send_type, output, receive_count, receive_type);
}

bool alltoallv(Call& call, const void* input, Numbers send_counts, Numbers send_displacements,
               MPI_Datatype send_type, void* output, Numbers receive_counts, Numbers receive_displacements,
               MPI_Datatype receive_type) {
  return arguments::alltoallv(call, input, send_counts, send_displacements, send_type, output, receive_counts,
                              receive_displacements, receive_type);
}

bool alltoallw(Call& call, const void* input, Numbers send_counts, Numbers send_displacements,
               const MPI_Datatype* send_types, void* output, Numbers receive_counts,
               Numbers receive_displacements, const MPI_Datatype* receive_types) {
  return arguments::alltoallw(call, input, send_counts, send_displacements, send_types, output,
                              receive_counts, receive_displacements, receive_types);
}

}  // namespace tutti::mpi
