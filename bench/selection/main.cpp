// tutti-bench-selection COLLECTIVE SIZES PRODUCTS CALLS FILE: an unmodified MPI program whose nonblocking
// calls stand beside a computation, for bench/selection.py. Each size and length of the computation is a call
// site of its own: a communicator that is freed when its calls are over, in the order of the loops below.
//
// SIZES and PRODUCTS are lists like 65536,1048576; a computation is that many products of two vectors. FILE
// gets a line for each site: size, products, and what each call cost on the slowest rank, in µs from start to
// end of the wait.

#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "bench/collective/files.hpp"
#include "bench/overlap/computation.hpp"
#include "bench/tune/calls.hpp"

namespace {

using namespace tutti::bench;

constexpr uint64_t k_vector_length = 20'000;

std::vector<uint64_t> numbers(const std::string& list) {
  std::vector<uint64_t> result;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) result.push_back(std::stoull(word));
  return result;
}

/// nullptr for no products.
std::unique_ptr<Computation> products_of(uint64_t count) {
  if (count == 0) return nullptr;
  auto all = make_computations(
      {.asleep = false, .busy = true, .vector_lengths = {k_vector_length}, .products = count});
  all.front()->fit(0, MPI_COMM_WORLD);
  return std::move(all.front());
}

/// Collective. What each call cost the slowest rank.
std::vector<double> times_of(const TunedCalls& calls, uint64_t bytes, Computation* computation,
                             size_t count) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  TunedData data = make_tuned_data(calls.collective, bytes, comm);
  std::vector<double> times;
  for (size_t i = 0; i < count; ++i) {
    PMPI_Barrier(MPI_COMM_WORLD);
    const double start = PMPI_Wtime();
    MPI_Request request = MPI_REQUEST_NULL;
    calls.start(data, &request);
    if (computation != nullptr) computation->run(1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    times.push_back((PMPI_Wtime() - start) * 1e6);
  }
  PMPI_Allreduce(MPI_IN_PLACE, times.data(), static_cast<int>(count), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Comm_free(&comm);
  return times;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const TunedCalls* calls = argc == 6 ? find_tuned_calls(argv[1]) : nullptr;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (calls == nullptr) {
    if (rank == 0) std::fputs("usage: tutti-bench-selection COLLECTIVE SIZES PRODUCTS CALLS FILE\n", stderr);
    MPI_Finalize();
    return 2;
  }
  if (rank == 0 && !can_save(argv[5])) MPI_Abort(MPI_COMM_WORLD, 1);
  std::string lines;
  for (const uint64_t bytes : numbers(argv[2]))
    for (const uint64_t products : numbers(argv[3])) {
      const auto computation = products_of(products);
      const auto times = times_of(*calls, bytes, computation.get(), std::stoul(argv[4]));
      lines += fmt::format("{} {} {:.1f}\n", bytes, products, fmt::join(times, " "));
    }
  if (rank == 0 && !save(argv[5], lines)) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
  return 0;
}
