// Internal functions of MPICH's C library that its libraries for Fortran and C++ call.

#include "actors/stub/mpich_internals.h"

#include "actors/stub/host.h"

#define CALL(name, ...) calls()->internals.name(own_rank(), __VA_ARGS__)

// NOLINTBEGIN(readability-identifier-naming): names of MPICH
EXPORTED int MPII_Comm_get_attr(MPI_Comm comm, int keyval, void* value, int* flag, int kind) {
  return CALL(comm_get_attr, comm, keyval, value, flag, kind);
}
EXPORTED int MPII_Comm_set_attr(MPI_Comm comm, int keyval, void* value, int kind) {
  return CALL(comm_set_attr, comm, keyval, value, kind);
}
EXPORTED int MPII_Type_get_attr(MPI_Datatype type, int keyval, void* value, int* flag, int kind) {
  return CALL(type_get_attr, type, keyval, value, flag, kind);
}
EXPORTED int MPII_Type_set_attr(MPI_Datatype type, int keyval, void* value, int kind) {
  return CALL(type_set_attr, type, keyval, value, kind);
}
EXPORTED void MPII_Keyval_set_proxy(int keyval, tutti_copy_proxy* copy, tutti_delete_proxy* erase) {
  CALL(keyval_set_proxy, keyval, copy, erase);
}
EXPORTED void MPII_Op_set_cxx(MPI_Op op, tutti_op_proxy* proxy) {
  CALL(op_set_cxx, op, proxy);
}
EXPORTED void MPII_Errhandler_set_cxx(MPI_Errhandler handler, tutti_errhandler_proxy* proxy) {
  CALL(errhandler_set_cxx, handler, proxy);
}
// Ranks as threads serve host memory only.
EXPORTED int MPIX_GPU_query_support(int kind, int* is_supported) {
  (void)kind;
  *is_supported = 0;
  return MPI_SUCCESS;
}
// NOLINTEND(readability-identifier-naming)
