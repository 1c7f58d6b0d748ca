// Error handlers that throw, through the frames of the MPI and of what stands in front of it.
#include <mpi.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void throw_it(MPI_Comm*, int* code, ...) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(*code, &error_class);
  throw std::runtime_error(error_class == MPI_ERR_ROOT ? "root" : "rank");
}

/// A call with one wrong argument.
void call_wrongly(int kind, int size) {
  double in = 1, out = 0;
  std::vector<double> all(static_cast<std::size_t>(size));
  if (kind == 0) MPI_Bcast(&in, 1, MPI_DOUBLE, size + 3, MPI_COMM_WORLD);
  if (kind == 1) MPI_Reduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, size, MPI_COMM_WORLD);
  if (kind == 2) MPI_Send(&in, 1, MPI_DOUBLE, size, 0, MPI_COMM_WORLD);
  if (kind == 3) MPI_Gather(&in, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, size + 1, MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(throw_it, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  constexpr int k_elements = 50000;
  std::vector<double> own(k_elements),
      all(static_cast<std::size_t>(k_elements) * static_cast<std::size_t>(size));
  int caught = 0, wrong = 0;
  for (int round = 0; round < 40; ++round) {
    try {
      call_wrongly(round % 4, size);
    } catch (const std::exception& error) {
      caught += std::string(error.what()) == (round % 4 == 2 ? "rank" : "root");
    }
    double one = 1, sum = 0;
    MPI_Bcast(&one, 1, MPI_DOUBLE, round % size, MPI_COMM_WORLD);
    MPI_Allgather(own.data(), k_elements, MPI_DOUBLE, all.data(), k_elements, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Request request;
    MPI_Iallreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += sum != size;
  }
  MPI_Errhandler_free(&handler);
  MPI_Finalize();
  std::printf("%d caught, %d wrong\n", caught, wrong);
  return 0;
}
