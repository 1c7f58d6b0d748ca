#pragma once
// Emulates the fields that Open MPI's Fortran library reads directly from the objects behind handles.

#include <mpi.h>

#include <array>
#include <cstddef>

namespace tutti::actors {

class Communicator;
class Rank;

#ifdef OPEN_MPI
/// The first bytes of an object whose address is a handle, in Open MPI's layout, as far as any library reads
/// them.
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

/// Stores the field that this library reads in requests: their Fortran number.
void show(MPI_Request handle, int number);
/// True if the offset of that number was found.
bool can_show_requests();
/// Stores the fields read in communicators: their groups, and the pointer that the library passes for their
/// attributes.
void show(Rank& me, const Communicator& communicator);

}  // namespace tutti::actors
