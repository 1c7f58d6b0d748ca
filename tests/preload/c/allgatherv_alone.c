// MPI_Allgatherv on one rank with a displacement. MPICH 4.0.2 ignores the displacement.
#include "check.h"

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  const int mine[2] = {5, 7};
  int all[5] = {-1, -1, -1, -1, -1};
  const int counts[1] = {2};
  const int displacements[1] = {2};
  MPI_Allgatherv(mine, 2, MPI_INT, all, counts, displacements, MPI_INT, MPI_COMM_SELF);
  CHECK(all[0] == -1 && all[1] == -1 && all[2] == 5 && all[3] == 7 && all[4] == -1, "%d %d %d %d %d", all[0],
        all[1], all[2], all[3], all[4]);
  return check_finish("allgatherv_alone");
}
