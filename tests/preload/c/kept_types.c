// Datatypes with attributes, used by collectives that do not block: the program duplicates and frees none, so that none
// of its callbacks runs, and one that refuses is no error.
#include <stdlib.h>

#include "check.h"

static int copies, deletes;

static int refuse(MPI_Datatype type, int keyval, void* extra, void* in, void* out, int* flag) {
  (void)type, (void)keyval, (void)extra, (void)in, (void)out;
  ++copies;
  *flag = 0;
  return MPI_ERR_OTHER;
}
static int count_delete(MPI_Datatype type, int keyval, void* value, void* extra) {
  (void)type, (void)keyval, (void)value, (void)extra;
  ++deletes;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  enum { k_blocks = 20000 };
  int keyval = MPI_KEYVAL_INVALID, value = 1;
  MPI_Type_create_keyval(refuse, count_delete, &keyval, NULL);
  MPI_Datatype pairs;
  MPI_Type_vector(k_blocks, 1, 2, MPI_INT, &pairs);
  MPI_Type_commit(&pairs);
  MPI_Type_set_attr(pairs, keyval, &value);
  int* const mine = allocate_ints(2 * k_blocks, g_rank + 1);
  int* const all = allocate_ints(2 * k_blocks * (size_t)g_size, 0);
  MPI_Request request;
  for (int round = 0; round < 4; ++round) {
    MPI_Ibcast(mine, 1, pairs, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(mine[2 * k_blocks - 2] == 1, "broadcast: %d", mine[2 * k_blocks - 2]);
    mine[0] = g_rank;
    MPI_Iallgather(mine, 1, pairs, all, k_blocks, MPI_INT, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int r = 0; r < g_size; ++r) CHECK(all[r * k_blocks] == r, "allgather: %d", all[r * k_blocks]);
    MPI_Igather(mine, k_blocks, MPI_INT, all, 1, pairs, 0, MPI_COMM_SELF, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Bcast(mine, 1, pairs, g_size - 1, MPI_COMM_WORLD);
    mine[0] = 1;
  }
  CHECK(copies == 0 && deletes == 0, "%d copies and %d deletes of the attribute", copies, deletes);
  MPI_Type_free(&pairs);
  CHECK(deletes == 1, "%d deletes of the attribute", deletes);
  MPI_Type_free_keyval(&keyval);
  free(mine);
  free(all);
  return check_finish("kept_types");
}
