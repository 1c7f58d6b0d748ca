#pragma once
// Open MPI's Fortran library looks into the objects behind handles, for their numbers in Fortran.

#include <mpi.h>

#include <array>
#include <cstddef>

namespace tutti::actors {

#ifdef OPEN_MPI
/// The first bytes of an object whose address is a handle, in Open MPI's layout as far as anybody looks.
struct ForeignFields {
  alignas(16) std::array<std::byte, 512> bytes{};
};
#else
struct ForeignFields {};
#endif

}  // namespace tutti::actors
