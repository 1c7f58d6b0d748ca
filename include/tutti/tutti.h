#pragma once
/* Tutti's C API: persistent collectives that Tutti serves, and hints for them.
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
 *     compute();                      // the collective makes progress meanwhile
 *     tutti_wait(&request);
 *   }
 *   tutti_request_free(&request);
 *   tutti_finalize();
 *   MPI_Finalize();
 *
 * Link with -ltutti-mpich or -ltutti-openmpi, before the MPI. The program may be preloaded with Tutti, too.
 * Source: paper 001, table 1 (SIA_Init, SIA_*_init, SIA_Start, SIA_Wait, SIA_Hint, SIA_Finalize), in the
 * style of MPI's persistent collectives. Documentation: docs/c-api.md.
 *
 * Common to all functions, unless their own comment differs:
 *   - Result: TUTTI_SUCCESS, or one of the codes below; tutti_last_error() describes the error.
 *   - Invalid arguments change nothing, never end the program, and do not invoke the communicator's error
 *     handler.
 *     (Not every MPI can distinguish a value that was never an MPI handle from a valid handle.)
 *   - Threads: as granted by MPI_Init_thread; different requests may be used at the same time.
 */

#include <mpi.h>
#include <stdint.h>

#include "tutti/version.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TUTTI_PUBLIC __attribute__((visibility("default")))

/* A persistent collective of this process. A copy denotes the same request. A freed request is recognised as
 * invalid. */
typedef int64_t tutti_request;
#define TUTTI_REQUEST_NULL ((tutti_request)0)

enum {
  TUTTI_SUCCESS = 0,
  TUTTI_ERR_NOT_INITIALIZED = 1, /* no tutti_init(), or MPI is not initialised or already finalised */
  TUTTI_ERR_ARGUMENT = 2,        /* a null pointer, a negative count, no such root, a null datatype, … */
  TUTTI_ERR_COMM = 3,            /* not a communicator */
  TUTTI_ERR_REQUEST = 4,         /* not a request: null, freed, or never made */
  TUTTI_ERR_ACTIVE = 5,          /* the request has been started and not yet been waited for */
  TUTTI_ERR_INACTIVE = 6,        /* the request has not been started since it was made or completed */
  TUTTI_ERR_HINT = 7,            /* no such hint, or no such value */
  TUTTI_ERR_MEMORY = 8,
  TUTTI_ERR_MPI = 9 /* the MPI returned an error */
};

/* Collective over MPI_COMM_WORLD, after MPI_Init. May be called again; each call needs one tutti_finalize(). */
TUTTI_PUBLIC int tutti_init(void);

/* Must be called before MPI_Finalize. The last call frees all requests, drops all hints, and requires that
 * all requests of this process are inactive. Errors: NOT_INITIALIZED; ACTIVE (nothing has been changed). */
TUTTI_PUBLIC int tutti_finalize(void);

/* Creates an inactive request for a collective. The arguments are those of the blocking MPI call and mean the
 * same (MPI_IN_PLACE, MPI_BOTTOM, arguments that are significant only at the root). Collective over `comm`:
 * all ranks create requests in the same order. Buffers, arrays, datatypes and operators must stay valid until
 * the request is freed. Errors: NOT_INITIALIZED, ARGUMENT, COMM, HINT (this collective does not have the
 * hinted algorithm), MEMORY, MPI; *request is then TUTTI_REQUEST_NULL. */
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

/* Starts the collective and returns at once. Each rank may start its requests in its own order. Exception:
 * requests that MPICH itself serves ("native", or passed through by Tutti) must be started in the same order
 * on all ranks of a communicator. Errors: NOT_INITIALIZED, ARGUMENT (null pointer), REQUEST, ACTIVE, MPI. */
TUTTI_PUBLIC int tutti_start(tutti_request* request);

/* Waits until the collective has completed on this rank. The request is then inactive, also after an error.
 * Errors: NOT_INITIALIZED, ARGUMENT, REQUEST, INACTIVE, MPI. */
TUTTI_PUBLIC int tutti_wait(tutti_request* request);

/* tutti_wait() without blocking: *is_done is 1 if the collective has ended, otherwise 0, also if an argument
 * is invalid. Like MPI_Test, it drives the progress of the MPI library. */
TUTTI_PUBLIC int tutti_test(tutti_request* request, int* is_done);

/* Frees a request and sets it to TUTTI_REQUEST_NULL. Errors: NOT_INITIALIZED, ARGUMENT, REQUEST, ACTIVE. */
TUTTI_PUBLIC int tutti_request_free(tutti_request* request);

/* A hint for the requests that the program creates from now on; it must be the same on all ranks.
 *
 *   key               value
 *   "calls"           approximate number of starts of each request, at least 1
 *   "algorithm"       "auto" (default: rules and settings decide), "native" (the native MPI), or a name as in
 *                     rules: "ring", "chain:segment=64K"
 *   "progress"        "auto" (default), "off" (the native MPI's collective), "inline", "thread_spare",
 *                     "thread_shared": where the collective makes progress
 *   "openmp_threads"  "fixed" (default), or "may_change": between start and wait the starting thread's OpenMP
 *                     team may be one thread smaller, which leaves a core to the progress thread
 *
 * Errors: NOT_INITIALIZED, ARGUMENT (null pointer), HINT. */
TUTTI_PUBLIC int tutti_hint(const char* key, const char* value);

/* How the calls of this rank have been served so far, in the format of TUTTI_REPORT=FILE (JSON,
 * docs/selection.md). The caller releases it with free(). NULL: no report is kept (TUTTI_REPORT=memory keeps
 * one without writing it to a file), Tutti is inactive in this process, or memory is exhausted. Local; from
 * any thread between MPI_Init and MPI_Finalize; does not need tutti_init(). */
TUTTI_PUBLIC char* tutti_report(void);

/* Returns a one-line description of a code. Never null; from any thread, at any time. */
TUTTI_PUBLIC const char* tutti_error_string(int code);

/* Returns one line on the last failed call of the calling thread: the wrong argument and the expected value.
 * Valid until the thread's next failed call; empty if there was none. */
TUTTI_PUBLIC const char* tutti_last_error(void);

#ifdef __cplusplus
}
#endif
