#include "mpi/fortran.hpp"

#include <algorithm>

#ifdef OPEN_MPI
// Open MPI's sentinels are variables (Fortran common blocks) and known by their addresses. libmpi itself has
// them; a Fortran program brings its own, and the dynamic linker makes them one.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): Fortran's
extern int mpi_fortran_bottom_, mpi_fortran_in_place_, mpi_fortran_unweighted_, mpi_fortran_weights_empty_;
// NOLINTEND(readability-identifier-naming)
}
#endif

namespace tutti::mpi::fortran {

#ifdef OPEN_MPI

bool is_in_place(const void* address) {
  return address == &mpi_fortran_in_place_;
}
void* buffer(void* address) {
  if (is_in_place(address)) return MPI_IN_PLACE;
  return address == &mpi_fortran_bottom_ ? MPI_BOTTOM : address;
}

int* weights(MPI_Fint* array) {
  if (array == &mpi_fortran_unweighted_) return MPI_UNWEIGHTED;
  if (array == &mpi_fortran_weights_empty_) return MPI_WEIGHTS_EMPTY;
  return array;
}

#endif

std::vector<int> logicals(const MPI_Fint* values, int count) {
  std::vector<int> result(static_cast<size_t>(std::max(count, 0)));
  std::transform(values, values + result.size(), result.begin(), logical);
  return result;
}

std::vector<MPI_Datatype> datatypes(const MPI_Fint* handles, MPI_Comm comm, bool is_ignored) {
  int is_inter = 0, count = 0;
  if (is_ignored || comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS) return {};
  is_inter ? PMPI_Comm_remote_size(comm, &count) : PMPI_Comm_size(comm, &count);
  std::vector<MPI_Datatype> result;
  result.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) result.push_back(PMPI_Type_f2c(handles[i]));
  return result;
}

int cartesian_dimensions(MPI_Comm comm) {
  int kind = MPI_UNDEFINED, count = 0;
  if (comm == MPI_COMM_NULL || PMPI_Topo_test(comm, &kind) != MPI_SUCCESS || kind != MPI_CART) return 0;
  PMPI_Cartdim_get(comm, &count);
  return count;
}

}  // namespace tutti::mpi::fortran
