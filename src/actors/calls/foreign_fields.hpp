#pragma once
// Open MPI's Fortran library looks into the objects behind handles, for their numbers in Fortran.

#include <mpi.h>

#include <array>
#include <cstddef>

namespace tutti::actors {

class Communicator;
class Rank;

#ifdef OPEN_MPI
/// The first bytes of an object whose address is a handle, in Open MPI's layout as far as anybody looks.
struct ForeignFields {
  alignas(16) std::array<std::byte, 512> bytes{};
  bool operator==(const ForeignFields&) const = default;
};
#else
struct ForeignFields {};
#endif

/// A function pointer whose real signature differs from its declared type (Fortran callbacks).
template <class Function, class Other>
Function* function_as(Other* function) {
  return reinterpret_cast<Function*>(reinterpret_cast<void (*)()>(function));
}

/// What that library reads in requests: their number in Fortran.
void show(MPI_Request handle, int number);
/// Where that is has been found.
bool can_show_requests();
/// In communicators: their groups, and what it then gives for the attributes of this one.
void show(Rank& me, const Communicator& communicator);

}  // namespace tutti::actors
