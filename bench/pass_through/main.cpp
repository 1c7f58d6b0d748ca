// Calls that Tutti leaves to the native MPI, through MPI_* (whatever is preloaded) and directly through
// PMPI_*.
//
//   tutti-pass-through-<mpi> time            ns per call of both, in turn, median of the batches
//   tutti-pass-through-<mpi> mpi|pmpi COUNT  COUNT calls of one kind, for a tool that counts instructions
//
// The call is a broadcast of 8 bytes on a communicator of one rank: natively the shortest of all, so that
// what is added shows.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

constexpr int k_batches = 21;
constexpr int k_calls = 200000;

double buffer = 1;

void call_mpi(long count) {
  for (long i = 0; i < count; ++i) MPI_Bcast(&buffer, 1, MPI_DOUBLE, 0, MPI_COMM_SELF);
}

void call_pmpi(long count) {
  for (long i = 0; i < count; ++i) PMPI_Bcast(&buffer, 1, MPI_DOUBLE, 0, MPI_COMM_SELF);
}

double ns_per_call(void (*calls)(long)) {
  const double start = PMPI_Wtime();
  calls(k_calls);
  return (PMPI_Wtime() - start) * 1e9 / k_calls;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + k_batches / 2, values.end());
  return values[k_batches / 2];
}

void print_times() {
  std::vector<double> native, preloaded;
  for (int i = 0; i < k_batches; ++i) {
    native.push_back(ns_per_call(call_pmpi));
    preloaded.push_back(ns_per_call(call_mpi));
  }
  std::printf("PMPI_Bcast %.1f ns, MPI_Bcast %.1f ns, difference %.1f ns (medians of %d batches in turn)\n",
              median(native), median(preloaded), median(preloaded) - median(native), k_batches);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string_view what = argc > 1 ? argv[1] : "time";
  const long count = argc > 2 ? std::atol(argv[2]) : 0;
  if (what == "mpi")
    call_mpi(count);
  else if (what == "pmpi")
    call_pmpi(count);
  else
    print_times();
  MPI_Finalize();
  return 0;
}
