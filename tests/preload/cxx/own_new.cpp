// A program with an operator new of its own, for what it allocates itself: an arena without a lock, which is closed
// while it communicates. Others that call it are seen.
#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <new>
#include <vector>

namespace {

constexpr std::size_t k_arena_bytes = 64 << 20, k_alignment = 16;
alignas(k_alignment) char arena[k_arena_bytes];
std::size_t used = 0;
long calls = 0, refused = 0;
bool is_closed = false;

}  // namespace

void* operator new(std::size_t bytes) {
  ++calls;
  const std::size_t at = used, end = (at + bytes + k_alignment - 1) / k_alignment * k_alignment;
  if (is_closed || end > k_arena_bytes) {
    ++refused;
    throw std::bad_alloc();
  }
  used = end;
  return arena + at;
}
void operator delete(void*) noexcept {}
void operator delete(void*, std::size_t) noexcept {}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  constexpr int k_elements = 20000;
  const long before = calls;
  std::vector<double> own(k_elements, rank), sum(k_elements);
  is_closed = true;
  int wrong = 0;
  for (int round = 0; round < 100; ++round) {
    const int count = 1 + round * 173 % k_elements;
    MPI_Allreduce(own.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    wrong += sum[static_cast<std::size_t>(count) - 1] != size * (size - 1) / 2;
    MPI_Request request;
    MPI_Iallreduce(own.data(), sum.data(), count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += sum[0] != size - 1;
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Bcast(sum.data(), count, MPI_DOUBLE, round % size, copy);
    MPI_Comm_free(&copy);
  }
  MPI_Finalize();
  std::printf("%ld calls, %ld refused, %d wrong\n", calls - before, refused, wrong);
  return 0;
}
