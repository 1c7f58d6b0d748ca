#pragma once
// Values of attributes in C, C++ and Fortran (MPI 4.0, §19.3.7).

#include <mpi.h>

#include <cstdint>

#ifdef MPICH_VERSION
#include "actors/stub/mpich_internals.h"
#endif

namespace tutti::actors {

/// What the language that has set a value knows it as. MPICH's numbers.
enum class AttributeKind : uint8_t { pointer = 0, address_integer = 1, integer = 3 };

/// C gets integers by their addresses, Fortran gets pointers as integers.
struct AttributeValue {
  void* value = nullptr;
  AttributeKind kind = AttributeKind::pointer;

  static AttributeValue of_integer(int integer) {
    return {reinterpret_cast<void*>(static_cast<intptr_t>(integer)), AttributeKind::integer};
  }
  /// Valid as long as this is there.
  void* as_pointer() { return kind == AttributeKind::pointer ? value : static_cast<void*>(&value); }
  intptr_t as_integer() const { return reinterpret_cast<intptr_t>(value); }
};

/// How functions of a keyval are called that are not C's.
struct ForeignFunctions {
#ifdef MPICH_VERSION
  tutti_copy_proxy* copy = nullptr;
  tutti_delete_proxy* erase = nullptr;
#else
  AttributeKind kind = AttributeKind::pointer;  // of values and of the extra state; pointers are C's
#endif
};

}  // namespace tutti::actors
