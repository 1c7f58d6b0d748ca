// A typical third-party tool: it counts calls of some MPI functions on their path to the MPI, and prints the counts
// when the program ends. Preloaded behind Tutti, or in front of it.

#include <mpi.h>
#include <stdio.h>

static int g_inits, g_barriers, g_allreduces, g_sends, g_dups, g_waits, g_tests;

int MPI_Init(int* argc, char*** argv) {
  ++g_inits;
  return PMPI_Init(argc, argv);
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  ++g_inits;
  return PMPI_Init_thread(argc, argv, required, provided);
}

int MPI_Barrier(MPI_Comm comm) {
  ++g_barriers;
  return PMPI_Barrier(comm);
}

int MPI_Allreduce(const void* input, void* output, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ++g_allreduces;
  return PMPI_Allreduce(input, output, count, type, op, comm);
}

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  ++g_sends;
  return PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  ++g_dups;
  return PMPI_Comm_dup(comm, made);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  ++g_waits;
  return PMPI_Wait(request, status);
}

int MPI_Test(MPI_Request* request, int* is_done, MPI_Status* status) {
  ++g_tests;
  return PMPI_Test(request, is_done, status);
}

int MPI_Finalize(void) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    fprintf(stderr,
            "tool: %d init, %d barrier, %d allreduce, %d send, %d dup, %d wait, %d test, 1 finalize\n",
            g_inits, g_barriers, g_allreduces, g_sends, g_dups, g_waits, g_tests);
  return PMPI_Finalize();
}
