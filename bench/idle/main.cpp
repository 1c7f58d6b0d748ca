// Measures the cost of processes that have made collective calls and then do nothing. An ordinary MPI program, for
// runs with and without Tutti.
//
//   tutti-idle-<mpi> SECONDS
//
// Prints the CPU time of all ranks together while they sleep for this time, in ms, and their memory at the end: the
// sum of their resident sets, in MiB (shared memory counts once per rank).

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

namespace {

constexpr int k_calls = 100;

double cpu_ms() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

double resident_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (double kib = 0; word == "VmRSS:" && status >> kib) return kib / 1024;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double number = rank;
  for (int i = 0; i < k_calls; ++i) MPI_Bcast(&number, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  const timespec time{.tv_sec = argc > 1 ? std::atoi(argv[1]) : 5, .tv_nsec = 0};
  const double before = cpu_ms();
  nanosleep(&time, nullptr);
  const double mine[2] = {cpu_ms() - before, resident_mib()};
  double all[2] = {0, 0};
  MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("cpu_ms=%.2f resident_mib=%.1f\n", all[0], all[1]);
  MPI_Finalize();
  return 0;
}
