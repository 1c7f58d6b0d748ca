// Communicators of the ranks that share something of a machine, by all types that the MPI has. Which ranks do is the
// MPI's business; what is made works.
#include "check.h"

static void split_by(int type, const char* name) {
  MPI_Comm made = MPI_COMM_NULL;
  CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, type, g_rank, MPI_INFO_NULL, &made) == MPI_SUCCESS, "%s", name);
  if (made == MPI_COMM_NULL) return;
  int size = 0, sum = 0;
  const int one = 1;
  MPI_Comm_size(made, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made);
  CHECK(size >= 1 && size <= g_size && sum == size, "%s: %d of %d ranks", name, sum, size);
  MPI_Comm_free(&made);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  split_by(MPI_COMM_TYPE_SHARED, "shared");
  split_by(MPI_UNDEFINED, "undefined");
#ifdef OPEN_MPI
  for (int type = OMPI_COMM_TYPE_HWTHREAD; type <= OMPI_COMM_TYPE_CLUSTER; ++type)
    split_by(type, "a type of Open MPI");
#endif
  return check_finish("split_types");
}
