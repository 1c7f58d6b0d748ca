// Operators, datatypes and communicators that are freed right after the call that uses them. Enough calls that
// run-time selection holds some of them back.
#include "check.h"

#include <stdlib.h>

enum { k_rounds = 80, k_several = 4, k_count = 9000 };

static void add(void* source, void* target, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)target)[i] += ((int*)source)[i];
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  int* data[k_several + 2];
  for (int m = 0; m < k_several + 2; ++m) data[m] = allocate_ints(k_count, 0);
  for (int round = 0; round < k_rounds; ++round) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Request requests[k_several + 2];
    for (int m = 0; m < k_several; ++m) {
      for (int i = 0; i < k_count; ++i) data[m][i] = g_rank + i + m;
      MPI_Iallreduce(MPI_IN_PLACE, data[m], k_count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[m]);
    }
    MPI_Op op;
    MPI_Op_create(add, 1, &op);
    for (int i = 0; i < k_count; ++i) data[k_several][i] = g_rank + i;
    MPI_Iallreduce(MPI_IN_PLACE, data[k_several], k_count, MPI_INT, op, MPI_COMM_WORLD, &requests[k_several]);
    MPI_Op_free(&op);
    CHECK(op == MPI_OP_NULL, "round %d: the handle is still there", round);
    MPI_Op_create(add, 1, &op);
    MPI_Op_free(&op);
    MPI_Datatype type;
    MPI_Type_contiguous(k_count, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < k_count; ++i) data[k_several + 1][i] = g_rank == 0 ? round + i : -1;
    MPI_Ibcast(data[k_several + 1], 1, type, 0, comm, &requests[k_several + 1]);
    MPI_Type_free(&type);
    MPI_Comm_free(&comm);
    MPI_Waitall(k_several + 2, requests, MPI_STATUSES_IGNORE);
    const int ranks = g_size * (g_size - 1) / 2;
    for (int m = 0; m <= k_several; ++m) {
      const int offset = m < k_several ? m : 0;
      CHECK(data[m][7] == ranks + g_size * (7 + offset), "round %d, call %d: %d", round, m, data[m][7]);
    }
    CHECK(data[k_several + 1][k_count - 1] == round + k_count - 1, "round %d: broadcast", round);
  }
  for (int m = 0; m < k_several + 2; ++m) free(data[m]);
  return check_finish("freed_operators");
}
