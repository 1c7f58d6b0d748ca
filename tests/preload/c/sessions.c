// Communicators without MPI_COMM_WORLD (MPI-4 sessions): "alone", in a program that never calls MPI_Init, or
// beside the world.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if MPI_VERSION >= 4

enum { k_count = 100000 };

static void use(MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int* data = allocate_ints(k_count, 0);
  int* sums = allocate_ints(k_count, 0);
  for (int root = 0; root < size; ++root) {
    MPI_Request request;
    for (int i = 0; i < k_count; ++i) data[i] = rank == root ? value_of(root, (size_t)i, 1) : -1;
    MPI_Bcast(data, k_count, MPI_INT, root, comm);
    for (int i = 0; i < k_count; ++i) data[i] = data[i] == value_of(root, (size_t)i, 1) ? rank : -size * size;
    MPI_Iallreduce(data, sums, k_count, MPI_INT, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < k_count; ++i)
      CHECK(sums[i] == size * (size - 1) / 2, "root %d, element %d: %d", root, i, sums[i]);
  }
  MPI_Barrier(comm);
  free(sums);
  free(data);
}

static MPI_Comm of_all(MPI_Session session, const char* name) {
  MPI_Group group;
  MPI_Comm comm;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  return comm;
}

int main(int argc, char** argv) {
  const int is_alone = argc > 1 && strcmp(argv[1], "alone") == 0;
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Comm comm = of_all(session, "first");
  use(comm);
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (!is_alone) {
    check_init(&argc, &argv);
    use(MPI_COMM_WORLD);
    use(comm);
  }
  MPI_Comm other;
  MPI_Comm_dup(comm, &other);
  use(other);
  MPI_Comm_free(&other);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  if (!is_alone) return check_finish("sessions");
  if (rank == 0) printf("sessions alone\n");
  return check_status();
}

#else

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  return check_finish("sessions: this MPI has none");
}

#endif
