/* Functions that only one of Open MPI 4.1 and Open MPI 5 declares, as far as Tutti wraps them: one library serves
 * programs of both. The persistent collectives, which have two names, are in calls.py. */
#pragma once

#include <mpi.h>

#include <mpi-ext.h>  // needs mpi.h

// C, with the names of MPI.
// NOLINTBEGIN(readability-identifier-naming,readability-redundant-declaration,modernize-use-using)
#ifdef __cplusplus
extern "C" {
#endif

#if OMPI_MAJOR_VERSION < 5
typedef struct ompi_instance_t* MPI_Session;
#endif

int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session);

int MPI_Isendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                  MPI_Request* request);
int MPI_Isendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
                          int recvtag, MPI_Comm comm, MPI_Request* request);

int MPI_Psend_init(const void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm, MPI_Info info, MPI_Request* request);
int MPI_Precv_init(void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                   MPI_Comm comm, MPI_Info info, MPI_Request* request);
int MPI_Pready(int partition, MPI_Request request);
int MPI_Pready_range(int partition_low, int partition_high, MPI_Request request);
int MPI_Pready_list(int length, int partition_list[], MPI_Request request);

/* Declares a function with two names: an extension of Open MPI 4, and a function of MPI 4 in Open MPI 5. */
#define TUTTI_BOTH(name, ...)  \
  int MPI_##name(__VA_ARGS__); \
  int MPIX_##name(__VA_ARGS__)
TUTTI_BOTH(Neighbor_allgather_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
           int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request);
TUTTI_BOTH(Neighbor_allgatherv_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
           const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
           MPI_Request* request);
TUTTI_BOTH(Neighbor_alltoall_init, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
           int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request);
TUTTI_BOTH(Neighbor_alltoallv_init, const void* sendbuf, const int sendcounts[], const int sdispls[],
           MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
           MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request);
TUTTI_BOTH(Neighbor_alltoallw_init, const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
           const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
           const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request* request);
#undef TUTTI_BOTH

#ifdef __cplusplus
}
#endif
// NOLINTEND(readability-identifier-naming,readability-redundant-declaration,modernize-use-using)
