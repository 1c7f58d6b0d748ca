// Sums in the mode in which the thread computes that calls: rounding, and numbers that are too small to be normal.
// Whatever thread adds up has to take it over, from the latest call: it is set after MPI_Init, and changes.
#include <fenv.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "check.h"
#include "persistent.h"

enum { k_many = 20000 };

static double mine[k_many], sums[k_many];

typedef struct {
  const char* name;
  int rounding;
  bool flushes;  // what is too small becomes zero
} Mode;

static const Mode k_modes[] = {
    {"nearest", FE_TONEAREST, false},       {"upward", FE_UPWARD, false},
    {"downward", FE_DOWNWARD, false},       {"to zero", FE_TOWARDZERO, false},
#if defined(__x86_64__)
    {"flush", FE_TONEAREST, true},
#endif
    {"nearest again", FE_TONEAREST, false},
};

static void enter(const Mode* mode) {
  fesetround(mode->rounding);
#if defined(__x86_64__)
  _MM_SET_FLUSH_ZERO_MODE(mode->flushes ? _MM_FLUSH_ZERO_ON : _MM_FLUSH_ZERO_OFF);
#endif
}

// The operands of ranks 0 and 1; all others have zeros, which do not change a sum.
static double part_of(int rank, int index) {
  const bool is_small = index % 2 == 1;
  if (rank == 0) return is_small ? 3e-308 : 1;
  if (rank == 1) return is_small ? -2.9e-308 : (index % 4 == 0 ? 1e-20 : -1e-20);
  return 0;
}

static void check_sums(const char* how, const Mode* mode, int count) {
  for (int i = 0; i < count; ++i) {
    const volatile double first = part_of(0, i), second = g_size > 1 ? part_of(1, i) : 0;
    const volatile double sum = first + second;
    if (!CHECK(sums[i] == sum, "%s, %s: element %d of %d is %a instead of %a", how, mode->name, i, count,
               sums[i], sum))
      return;
  }
}

static void try_all(const Mode* mode, int count, MPI_Request* restarted) {
  enter(mode);
  for (int i = 0; i < count; ++i) sums[i] = -1;
  MPI_Allreduce(mine, sums, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  check_sums("MPI_Allreduce", mode, count);

  for (int i = 0; i < count; ++i) sums[i] = -1;
  MPI_Request request;
  MPI_Iallreduce(mine, sums, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_sums("MPI_Iallreduce", mode, count);

  for (int i = 0; i < count; ++i) sums[i] = -1;
  MPI_Start(restarted);
  MPI_Wait(restarted, MPI_STATUS_IGNORE);
  check_sums("MPI_Allreduce_init", mode, count);
  fesetround(FE_TONEAREST);
}

int main(int argc, char** argv) {
  check_init(&argc, &argv);
  for (int i = 0; i < k_many; ++i) mine[i] = part_of(g_rank, i);
  const int counts[] = {8, k_many};
  for (int c = 0; c < 2; ++c) {
    MPI_Request restarted;
    MPI_Allreduce_init(mine, sums, counts[c], MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &restarted);
    for (size_t m = 0; m < sizeof k_modes / sizeof k_modes[0]; ++m)
      try_all(&k_modes[m], counts[c], &restarted);
    MPI_Request_free(&restarted);
  }
  return check_finish("float_modes");
}
