#pragma once
// Conversion of Fortran arguments for the C entry point of the same name. The MPI itself converts handles; this header
// converts the rest, mainly sentinels, whose values differ between the two languages.

#include <mpi.h>

#include <vector>

namespace tutti::mpi::fortran {

// NOLINTNEXTLINE(misc-redundant-expression): not everywhere
static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of Fortran INTEGER are passed on as they are");

bool is_in_place(const void* address);
/// Converts Fortran's MPI_BOTTOM and MPI_IN_PLACE to those of C and keeps any other address. The C call checks where
/// they are permitted.
void* buffer(void* address);
/// Converts MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY; keeps any other address.
int* weights(MPI_Fint* array);

inline int logical(MPI_Fint value) {
  return value != 0;
}
std::vector<int> logicals(const MPI_Fint* values, int count);
/// One type per rank of `comm`'s group (its remote group for intercommunicators); empty if `is_ignored`.
std::vector<MPI_Datatype> datatypes(const MPI_Fint* handles, MPI_Comm comm, bool is_ignored);
/// Number of dimensions of a Cartesian communicator; 0 if it is not one, which the native call will refuse.
int cartesian_dimensions(MPI_Comm comm);

/// Converted requests of a Fortran array, for the duration of a call.
class Requests {
 public:
  Requests(MPI_Fint* handles, int count);
  MPI_Request* data() { return requests_.data(); }
  /// Converts the requests back after the call.
  void store();

 private:
  MPI_Fint* handles_;
  std::vector<MPI_Request> requests_;
};

/// Buffer for the statuses of a call.
class Statuses {
 public:
  Statuses(MPI_Fint* target, int count);
  MPI_Status* data();
  /// Converts the first `count` statuses for the program.
  void store(int count);

 private:
  MPI_Fint* target_;  // nullptr: ignored
  std::vector<MPI_Status> statuses_;
};

/// Converts an index: Fortran counts from one.
inline int index(int index) {
  return index == MPI_UNDEFINED ? index : index + 1;
}
void count_from_one(MPI_Fint* indices, int count);

/// In mpi_f08, ierror is optional.
inline void set_error(MPI_Fint* ierror, int result) {
  if (ierror != nullptr) *ierror = result;
}

}  // namespace tutti::mpi::fortran
