#pragma once
// What a Fortran call needs on its way to the C entry point of the same name: handles are converted by the
// MPI itself; here are the rest, sentinels first of all, whose values differ between the two languages.

#include <mpi.h>

#include <vector>

namespace tutti::mpi::fortran {

// NOLINTNEXTLINE(misc-redundant-expression): not everywhere
static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of Fortran INTEGER are passed on as they are");

bool is_in_place(const void* address);
/// MPI_BOTTOM and MPI_IN_PLACE of Fortran become those of C; everything else stays. Which of them is an error
/// where is for the C call to say.
void* buffer(void* address);
/// MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY.
int* weights(MPI_Fint* array);

inline int logical(MPI_Fint value) {
  return value != 0;
}
std::vector<int> logicals(const MPI_Fint* values, int count);
/// One type per rank of `comm`'s group (its remote group for intercommunicators); none when `is_ignored`.
std::vector<MPI_Datatype> datatypes(const MPI_Fint* handles, MPI_Comm comm, bool is_ignored);
/// Dimensions of a Cartesian communicator; 0 where it is none and the native call will say so.
int cartesian_dimensions(MPI_Comm comm);

/// Requests of a Fortran array, for the time of a call.
class Requests {
 public:
  Requests(MPI_Fint* handles, int count);
  MPI_Request* data() { return requests_.data(); }
  /// Gives them back as the call has left them.
  void store();

 private:
  MPI_Fint* handles_;
  std::vector<MPI_Request> requests_;
};

/// Where the statuses of a call go.
class Statuses {
 public:
  Statuses(MPI_Fint* target, int count);
  MPI_Status* data();
  /// Gives the first `count` to the program.
  void store(int count);

 private:
  MPI_Fint* target_;  // nullptr: ignored
  std::vector<MPI_Status> statuses_;
};

/// Fortran counts from one.
inline int index(int index) {
  return index == MPI_UNDEFINED ? index : index + 1;
}
void count_from_one(MPI_Fint* indices, int count);

/// mpi_f08 lets the program leave ierror out.
inline void set_error(MPI_Fint* ierror, int result) {
  if (ierror != nullptr) *ierror = result;
}

}  // namespace tutti::mpi::fortran
