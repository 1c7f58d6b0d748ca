#pragma once
// Internal functions of Open MPI's C library that its libraries for Fortran and C++ call, implemented by the
// container.

#include <mpi.h>
#include <stdint.h>

enum tutti_language { TUTTI_C, TUTTI_CXX, TUTTI_FORTRAN };  // numbered as in Open MPI's error handlers

struct tutti_internal_calls {
  // `integer_bytes`: size of the values in Fortran, or 0 for pointers. `of`: the kind of object, numbered as
  // in Open MPI.
  int (*attr_create_keyval)(void* self, int of, void* copy, void* erase, int* keyval, int integer_bytes,
                            intptr_t extra_state, int flags);
  // `attributes`: the attribute pointer of the object, or its address.
  int (*attr_get)(void* self, void* attributes, int keyval, int integer_bytes, void* value, int* flag);
  int (*attr_set)(void* self, int of, void* object, void** attributes, int keyval, int integer_bytes,
                  intptr_t value);
  MPI_Errhandler (*errhandler_create)(void* self, int of, void* function, int language);
  int (*errhandler_invoke)(void* self, void* object, int code);
  MPI_Datatype (*datatype_match_size)(void* self, int bytes, uint16_t kind, uint16_t language);
  void (*op_set_cxx_callback)(void* self, MPI_Op op, void* function);
};
