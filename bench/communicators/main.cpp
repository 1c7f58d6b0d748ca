// Measures the cost of making and freeing communicators. An ordinary MPI program, for runs with and without Tutti.
//
//   tutti-communicators-<mpi> REPETITIONS
//
// Prints a line for each way to make one: its name, and the median time in µs of the slowest rank to make the
// communicator and to free it.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int k_warm_up = 5;

struct Way {
  const char* name;
  int (*make)(int rank, MPI_Group all, MPI_Comm* made);
};

constexpr Way k_ways[] = {
    {"dup", [](int, MPI_Group, MPI_Comm* made) { return MPI_Comm_dup(MPI_COMM_WORLD, made); }},
    {"split",
     [](int rank, MPI_Group, MPI_Comm* made) { return MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, made); }},
    {"split_in_two", [](int rank, MPI_Group,
                        MPI_Comm* made) { return MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, made); }},
    {"create", [](int, MPI_Group all, MPI_Comm* made) { return MPI_Comm_create(MPI_COMM_WORLD, all, made); }},
};

double median(std::vector<double>& values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

double slowest(double us) {
  MPI_Allreduce(MPI_IN_PLACE, &us, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return us;
}

void measure(const Way& way, int rank, MPI_Group all, int repetitions) {
  std::vector<double> make_us, free_us;
  for (int i = -k_warm_up; i < repetitions; ++i) {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    way.make(rank, all, &made);
    const double made_at = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
    const double free_from = MPI_Wtime();
    MPI_Comm_free(&made);
    const double freed_at = MPI_Wtime();
    const double make = slowest((made_at - start) * 1e6), release = slowest((freed_at - free_from) * 1e6);
    if (i < 0) continue;
    make_us.push_back(make);
    free_us.push_back(release);
  }
  if (rank == 0) std::printf("%s %.2f %.2f\n", way.name, median(make_us), median(free_us));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int repetitions = argc == 2 ? std::atoi(argv[1]) : 0;
  if (repetitions < 1) {
    if (rank == 0) std::fputs("tutti-communicators: how many REPETITIONS?\n", stderr);
    MPI_Finalize();
    return 2;
  }
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  for (const Way& way : k_ways) measure(way, rank, all, repetitions);
  MPI_Group_free(&all);
  MPI_Finalize();
  return 0;
}
