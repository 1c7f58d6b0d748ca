// Half of the ranks drop privileges after MPI_Init, each for itself, and go on.
#include "check.h"

#include <unistd.h>

enum { k_nobody = 65534, k_rounds = 20 };

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  const int is_root = geteuid() == 0;
  const int changes = is_root && g_rank % 2 == 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (changes) CHECK(seteuid(k_nobody) == 0, "seteuid");
  for (int round = 0; round < k_rounds; ++round) {
    int sum = g_rank;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == g_size * (g_size - 1) / 2, "round %d: %d", round, sum);
    CHECK(!is_root || geteuid() == (changes ? k_nobody : 0), "rank %d is user %d", g_rank, (int)geteuid());
  }
  if (changes) CHECK(seteuid(0) == 0, "seteuid back");
  return check_finish("change_user");
}
