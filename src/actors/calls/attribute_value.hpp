#pragma once
// Values of attributes in C, C++ and Fortran (MPI 4.0, §19.3.7).

#include <mpi.h>

#include <cstdint>

#ifdef MPICH_VERSION
#include "actors/stub/mpich_internals.h"
#endif

namespace tutti::actors {

/// How the language that set a value stores it. The numbers are MPICH's.
enum class AttributeKind : uint8_t { pointer = 0, address_integer = 1, integer = 3 };

/// C receives integers by address, Fortran receives pointers as integers.
struct AttributeValue {
  void* value = nullptr;
  AttributeKind kind = AttributeKind::pointer;

  static AttributeValue of_integer(int integer) {
    return {reinterpret_cast<void*>(static_cast<intptr_t>(integer)), AttributeKind::integer};
  }
  /// Valid as long as this object.
  void* as_pointer() { return kind == AttributeKind::pointer ? value : static_cast<void*>(&value); }
  intptr_t as_integer() const { return reinterpret_cast<intptr_t>(value); }
};

/// Calling conventions of keyval functions that are not written in C.
struct ForeignFunctions {
#ifdef MPICH_VERSION
  tutti_copy_proxy* copy = nullptr;
  tutti_delete_proxy* erase = nullptr;
#else
  AttributeKind kind = AttributeKind::pointer;  // of values and extra state; pointer: C
#endif
};

}  // namespace tutti::actors
