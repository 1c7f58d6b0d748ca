#pragma once
// Internal functions of MPICH's C library that its libraries for Fortran and C++ call, implemented by the
// container.

#include <mpi.h>

/// Proxies by which MPICH calls attribute functions in other languages.
typedef int tutti_copy_proxy(void (*function)(void), int object, int keyval, void* extra_state, int kind,
                             void* value, void** copy, int* flag);
typedef int tutti_delete_proxy(void (*function)(void), int object, int keyval, int kind, void* value,
                               void* extra_state);
typedef void tutti_op_proxy(const void* in, void* inout, int count, MPI_Datatype type,
                            void (*function)(void));
typedef void tutti_errhandler_proxy(int kind, int* object, int* code, void (*function)(void));

struct tutti_internal_calls {
  // `kind`: 0 for a pointer, 1 for an address-sized integer, 3 for an integer.
  int (*comm_get_attr)(void* self, MPI_Comm comm, int keyval, void* value, int* flag, int kind);
  int (*comm_set_attr)(void* self, MPI_Comm comm, int keyval, void* value, int kind);
  int (*type_get_attr)(void* self, MPI_Datatype type, int keyval, void* value, int* flag, int kind);
  int (*type_set_attr)(void* self, MPI_Datatype type, int keyval, void* value, int kind);
  void (*keyval_set_proxy)(void* self, int keyval, tutti_copy_proxy* copy, tutti_delete_proxy* erase);
  void (*op_set_cxx)(void* self, MPI_Op op, tutti_op_proxy* proxy);
  void (*errhandler_set_cxx)(void* self, MPI_Errhandler handler, tutti_errhandler_proxy* proxy);
};
