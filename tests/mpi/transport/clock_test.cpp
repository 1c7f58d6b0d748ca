// GlobalClock on clocks that are made to differ: ranks of one machine share one, machine m's is ahead by m + 1/4 s.
// Seven ranks on five machines. Every check names itself and ends the job when it fails.

#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "mpi/clock/global_clock.hpp"

namespace {

using namespace tutti;

constexpr std::array<int32_t, 7> k_machines{4, 0, 4, 1, 2, 0, 3};
constexpr int64_t k_second = 1'000'000'000;

int g_rank = 0;

int64_t lead_of(int rank) {
  const int32_t machine = k_machines[static_cast<size_t>(rank)];
  return machine * k_second + k_second / 4;
}

uint64_t false_now() {
  return base::monotonic_ns() + static_cast<uint64_t>(lead_of(g_rank));
}

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "clock_test: rank %d: does not hold: %s\n", g_rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
  const mpi::GlobalClock clock(MPI_COMM_WORLD, k_machines, false_now);
  const select::CommonClock found = clock.get();
  check(found.error_ns != select::CommonClock::k_none, "a clock was found");
  // The error is at most the bound that was requested.
  const int64_t wrong = found.offset_ns - (lead_of(0) - lead_of(g_rank));
  check(static_cast<uint64_t>(std::llabs(wrong)) <= found.error_ns, "the error is within its bound");
  check(clock.get().error_ns >= found.error_ns, "the bound grows with time");
  if (k_machines[static_cast<size_t>(g_rank)] == k_machines[0])
    check(found.offset_ns == 0, "rank 0's machine has rank 0's clock");

  constexpr std::array<int32_t, 7> k_one_machine{};
  const select::CommonClock same = mpi::GlobalClock(MPI_COMM_WORLD, k_one_machine).get();
  check(same.offset_ns == 0 && same.error_ns == 0, "one machine has one clock");
  MPI_Finalize();
  return 0;
}
