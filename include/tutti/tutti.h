#pragma once
/* Tutti for programs that want a say: persistent collectives that are served by Tutti, and hints for them.
 *
 *   #include <mpi.h>
 *   #include <tutti/tutti.h>
 *
 *   MPI_Init(&argc, &argv);
 *   tutti_init();
 *   tutti_request request;
 *   tutti_alltoall_init(sent, n, MPI_DOUBLE, received, n, MPI_DOUBLE, MPI_COMM_WORLD, &request);
 *   for (...) {
 *     tutti_start(&request);
 *     compute();                      // the collective goes on meanwhile
 *     tutti_wait(&request);
 *   }
 *   tutti_request_free(&request);
 *   tutti_finalize();
 *   MPI_Finalize();
 *
 * Link with -ltutti-mpich or -ltutti-openmpi, before the MPI. The program may be preloaded with Tutti, too.
 * Source: paper 001, table 1 (SIA_Init, SIA_*_init, SIA_Start, SIA_Wait, SIA_Hint, SIA_Finalize), in the
 * style of MPI's persistent collectives. A page of its own: docs/c-api.md.
 *
 * What all functions have in common, where nothing else is said:
 *   - Result: TUTTI_SUCCESS, or one of the codes below; tutti_last_error() says more.
 *   - Bad input changes nothing, never ends the program, and does not reach the communicator's error handler.
 *     (A handle that was never one of MPI's cannot be told from a good one on every MPI.)
 *   - Threads: as MPI_Init_thread granted; different requests may be used at the same time.
 */

#include <mpi.h>
#include <stdint.h>

#include "tutti/version.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TUTTI_PUBLIC __attribute__((visibility("default")))

/* A persistent collective of this process. A copy is the same request; one that has been freed is known to be
 * no more. */
typedef int64_t tutti_request;
#define TUTTI_REQUEST_NULL ((tutti_request)0)

enum {
  TUTTI_SUCCESS = 0,
  TUTTI_ERR_NOT_INITIALIZED = 1, /* tutti_init() has not been called, MPI is not initialised, or no more */
  TUTTI_ERR_ARGUMENT = 2,        /* a null pointer, a negative count, no such root, a null datatype, … */
  TUTTI_ERR_COMM = 3,            /* not a communicator */
  TUTTI_ERR_REQUEST = 4,         /* not a request: null, freed, or never made */
  TUTTI_ERR_ACTIVE = 5,          /* the request has been started and not yet been waited for */
  TUTTI_ERR_INACTIVE = 6,        /* the request has not been started since it was made or completed */
  TUTTI_ERR_HINT = 7,            /* no such hint, or no such value */
  TUTTI_ERR_MEMORY = 8,
  TUTTI_ERR_MPI = 9 /* the MPI returned an error */
};

/* Collective over MPI_COMM_WORLD, after MPI_Init. May be called again; every call needs its tutti_finalize().
 */
TUTTI_PUBLIC int tutti_init(void);

/* Before MPI_Finalize. The last one frees all requests, forgets all hints, and needs all requests of this
 * process to be inactive. Errors: NOT_INITIALIZED; ACTIVE, and nothing has been done. */
TUTTI_PUBLIC int tutti_finalize(void);

/* Makes an inactive request of a collective, with the arguments of the blocking call of MPI and their meaning
 * (MPI_IN_PLACE, MPI_BOTTOM, arguments that only the root looks at). Collective over `comm`: the same order
 * on all ranks. The buffers, arrays, types and operators stay as they are until the request is freed. Errors:
 * NOT_INITIALIZED, ARGUMENT, COMM, HINT (the algorithm of the hint is none of this collective's), MEMORY,
 * MPI; *request is TUTTI_REQUEST_NULL then. */
TUTTI_PUBLIC int tutti_barrier_init(MPI_Comm comm, tutti_request* request);
TUTTI_PUBLIC int tutti_bcast_init(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                                  tutti_request* request);
TUTTI_PUBLIC int tutti_reduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                                   MPI_Op op, int root, MPI_Comm comm, tutti_request* request);
TUTTI_PUBLIC int tutti_allreduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                                      MPI_Op op, MPI_Comm comm, tutti_request* request);
TUTTI_PUBLIC int tutti_reduce_scatter_init(const void* sendbuf, void* recvbuf, const int recvcounts[],
                                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                           tutti_request* request);
TUTTI_PUBLIC int tutti_reduce_scatter_block_init(const void* sendbuf, void* recvbuf, int recvcount,
                                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                                 tutti_request* request);
TUTTI_PUBLIC int tutti_scan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                                 MPI_Op op, MPI_Comm comm, tutti_request* request);
TUTTI_PUBLIC int tutti_exscan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                                   MPI_Op op, MPI_Comm comm, tutti_request* request);
TUTTI_PUBLIC int tutti_allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                      void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                      tutti_request* request);
TUTTI_PUBLIC int tutti_allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                       void* recvbuf, const int recvcounts[], const int displs[],
                                       MPI_Datatype recvtype, MPI_Comm comm, tutti_request* request);
TUTTI_PUBLIC int tutti_gather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                   int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                                   tutti_request* request);
TUTTI_PUBLIC int tutti_gatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                    const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                                    int root, MPI_Comm comm, tutti_request* request);
TUTTI_PUBLIC int tutti_scatter_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                    int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                                    tutti_request* request);
TUTTI_PUBLIC int tutti_scatterv_init(const void* sendbuf, const int sendcounts[], const int displs[],
                                     MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                     MPI_Datatype recvtype, int root, MPI_Comm comm, tutti_request* request);
TUTTI_PUBLIC int tutti_alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                     int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                     tutti_request* request);
TUTTI_PUBLIC int tutti_alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                      MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                      const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                      tutti_request* request);
TUTTI_PUBLIC int tutti_alltoallw_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                      const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                                      const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                                      tutti_request* request);

/* Starts the collective; returns at once. Every rank may start its requests in an order of its own; only
 * where MPICH serves them itself ("native", or what Tutti leaves to it), those of one communicator have the
 * same order on all ranks. Errors: NOT_INITIALIZED, ARGUMENT (null pointer), REQUEST, ACTIVE, MPI. */
TUTTI_PUBLIC int tutti_start(tutti_request* request);

/* Returns when the collective has ended on this rank; the request is inactive then, also after an error.
 * Errors: NOT_INITIALIZED, ARGUMENT, REQUEST, INACTIVE, MPI. */
TUTTI_PUBLIC int tutti_wait(tutti_request* request);

/* The same without waiting: *is_done says whether it has ended. *is_done is 0 after an error in the input.
 * Like MPI_Test it makes progress of all that the MPI has to do. */
TUTTI_PUBLIC int tutti_test(tutti_request* request, int* is_done);

/* Frees a request and sets it to TUTTI_REQUEST_NULL. Errors: NOT_INITIALIZED, ARGUMENT, REQUEST, ACTIVE. */
TUTTI_PUBLIC int tutti_request_free(tutti_request* request);

/* What the program knows about the requests that it makes from now on; the same on all ranks.
 *
 *   key               value
 *   "calls"           how often each request will be started, about: a number from 1
 *   "algorithm"       "auto" (default: as rules and settings say), "native" (the MPI's own), or one as rules
 *                     name it: "ring", "chain:segment=64K"
 *   "progress"        "auto" (default), "off" (the MPI's own collective), "inline", "thread_spare",
 *                     "thread_shared": who carries the collective out
 *   "openmp_threads"  "fixed" (default), or "may_change": between start and wait the thread that starts may
 *                     get an OpenMP team that is one smaller, so that the progress thread has a core of
 *                     its own
 *
 * Errors: NOT_INITIALIZED, ARGUMENT (null pointer), HINT. */
TUTTI_PUBLIC int tutti_hint(const char* key, const char* value);

/* What this rank's calls have been served by up to now, as TUTTI_REPORT=FILE writes it at the end (JSON,
 * docs/selection.md). The caller frees it with free(). NULL: no report is kept (TUTTI_REPORT=memory keeps one
 * that is written nowhere), Tutti does nothing in this process, or memory is out. Local; any thread,
 * between MPI_Init and MPI_Finalize; needs no tutti_init(). */
TUTTI_PUBLIC char* tutti_report(void);

/* What a code means, in one line. Never null; any thread, any time. */
TUTTI_PUBLIC const char* tutti_error_string(int code);

/* What was wrong in the last call of the calling thread that did not succeed, in one line: which argument,
 * and what was expected. Valid until its next such call; empty when there was none. */
TUTTI_PUBLIC const char* tutti_last_error(void);

#ifdef __cplusplus
}
#endif
