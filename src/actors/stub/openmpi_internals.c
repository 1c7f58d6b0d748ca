// Internal functions of Open MPI's C library that its libraries for Fortran and C++ call.

#include "actors/stub/openmpi_internals.h"

#include <string.h>

#include "actors/stub/host.h"

// Of mpi-ext.h. Ranks as threads serve host memory only.
int MPIX_Query_cuda_support(void);
int MPIX_Query_rocm_support(void);
EXPORTED int MPIX_Query_cuda_support(void) {
  return 0;
}
EXPORTED int MPIX_Query_rocm_support(void) {
  return 0;
}

#define CALL(name, ...) calls()->internals.name(own_rank(), __VA_ARGS__)

enum { k_success = 0, k_out_of_resource = -2 };

EXPORTED int ompi_attr_create_keyval(int of, void* copy, void* erase, int* keyval, void* extra_state,
                                     int flags, void* bindings_state) {
  (void)bindings_state;
  return CALL(attr_create_keyval, of, copy, erase, keyval, 0, (intptr_t)extra_state, flags);
}
EXPORTED int ompi_attr_create_keyval_fint(int of, void* copy, void* erase, int* keyval, MPI_Fint extra_state,
                                          int flags, void* bindings_state) {
  (void)bindings_state;
  return CALL(attr_create_keyval, of, copy, erase, keyval, sizeof(MPI_Fint), extra_state, flags);
}
EXPORTED int ompi_attr_create_keyval_aint(int of, void* copy, void* erase, int* keyval, MPI_Aint extra_state,
                                          int flags, void* bindings_state) {
  (void)bindings_state;
  return CALL(attr_create_keyval, of, copy, erase, keyval, sizeof(MPI_Aint), extra_state, flags);
}

EXPORTED int ompi_attr_get_fint(void* attributes, int keyval, MPI_Fint* value, int* flag) {
  return CALL(attr_get, attributes, keyval, sizeof(MPI_Fint), value, flag);
}
EXPORTED int ompi_attr_get_aint(void* attributes, int keyval, MPI_Aint* value, int* flag) {
  return CALL(attr_get, attributes, keyval, sizeof(MPI_Aint), value, flag);
}
EXPORTED int ompi_attr_set_fint(int of, void* object, void** attributes, int keyval, MPI_Fint value,
                                _Bool is_predefined) {
  (void)is_predefined;
  return CALL(attr_set, of, object, attributes, keyval, sizeof(MPI_Fint), value);
}
EXPORTED int ompi_attr_set_aint(int of, void* object, void** attributes, int keyval, MPI_Aint value,
                                _Bool is_predefined) {
  (void)is_predefined;
  return CALL(attr_set, of, object, attributes, keyval, sizeof(MPI_Aint), value);
}

EXPORTED MPI_Errhandler ompi_errhandler_create(int of, void* function, int language) {
  return CALL(errhandler_create, of, function, language);
}
EXPORTED int ompi_errhandler_invoke(void* handler, void* object, int of, int code, const char* message) {
  (void)handler, (void)of, (void)message;
  return CALL(errhandler_invoke, object, code);
}
EXPORTED void ompi_mpi_errors_are_fatal_comm_handler(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  CALL(errhandler_invoke, NULL, code == NULL ? MPI_ERR_OTHER : *code);
}

EXPORTED MPI_Datatype ompi_datatype_match_size(int bytes, uint16_t kind, uint16_t language) {
  return CALL(datatype_match_size, bytes, kind, language);
}
EXPORTED void ompi_op_set_cxx_callback(MPI_Op op, void* function) {
  CALL(op_set_cxx_callback, op, function);
}

/// Removes leading and trailing spaces. The caller frees the copy.
EXPORTED int ompi_fortran_string_f2c(const char* text, int length, char** copy) {
  while (length > 0 && text[length - 1] == ' ') --length;
  while (length > 0 && *text == ' ') ++text, --length;
  *copy = malloc((size_t)length + 1);
  if (*copy == NULL) return k_out_of_resource;
  memcpy(*copy, text, (size_t)length);
  (*copy)[length] = '\0';
  return k_success;
}

/// Truncates, or pads with spaces.
EXPORTED int ompi_fortran_string_c2f(const char* text, char* copy, int length) {
  const size_t room = (size_t)length, used = strnlen(text, room);
  memcpy(copy, text, used);
  memset(copy + used, ' ', room - used);
  return k_success;
}

// Fortran functions in the C library: under all the names that compilers generate for one function.
#undef MPI_DUP_FN
#undef MPI_COMM_DUP_FN
#undef MPI_TYPE_DUP_FN
#undef MPI_WIN_DUP_FN
#undef MPI_NULL_COPY_FN
#undef MPI_COMM_NULL_COPY_FN
#undef MPI_TYPE_NULL_COPY_FN
#undef MPI_WIN_NULL_COPY_FN
#undef MPI_NULL_DELETE_FN
#undef MPI_COMM_NULL_DELETE_FN
#undef MPI_TYPE_NULL_DELETE_FN
#undef MPI_WIN_NULL_DELETE_FN
#undef MPI_CONVERSION_FN_NULL
#define FORTRAN(result, name, NAME, parameters)                                \
  EXPORTED result name##_ parameters;                                          \
  EXPORTED result name parameters __attribute__((weak, alias(#name "_")));     \
  EXPORTED result name##__ parameters __attribute__((weak, alias(#name "_"))); \
  EXPORTED result NAME parameters __attribute__((weak, alias(#name "_")));     \
  EXPORTED result name##_ parameters

#define FORTRAN_DUP(name, NAME, integer)                                                           \
  FORTRAN(void, name, NAME,                                                                        \
          (MPI_Fint * object, MPI_Fint * keyval, integer * extra, integer * value, integer * copy, \
           MPI_Fint * flag, MPI_Fint * code)) {                                                    \
    (void)object, (void)keyval, (void)extra;                                                       \
    *copy = *value;                                                                                \
    *flag = 1;                                                                                     \
    *code = MPI_SUCCESS;                                                                           \
  }
#define FORTRAN_NULL_COPY(name, NAME, integer)                                                     \
  FORTRAN(void, name, NAME,                                                                        \
          (MPI_Fint * object, MPI_Fint * keyval, integer * extra, integer * value, integer * copy, \
           MPI_Fint * flag, MPI_Fint * code)) {                                                    \
    (void)object, (void)keyval, (void)extra, (void)value, (void)copy;                              \
    *flag = 0;                                                                                     \
    *code = MPI_SUCCESS;                                                                           \
  }
#define FORTRAN_NULL_DELETE(name, NAME, integer)                                                       \
  FORTRAN(void, name, NAME,                                                                            \
          (MPI_Fint * object, MPI_Fint * keyval, integer * value, integer * extra, MPI_Fint * code)) { \
    (void)object, (void)keyval, (void)value, (void)extra;                                              \
    *code = MPI_SUCCESS;                                                                               \
  }

FORTRAN_DUP(mpi_dup_fn, MPI_DUP_FN, MPI_Fint)
FORTRAN_DUP(mpi_comm_dup_fn, MPI_COMM_DUP_FN, MPI_Aint)
FORTRAN_DUP(mpi_type_dup_fn, MPI_TYPE_DUP_FN, MPI_Aint)
FORTRAN_DUP(mpi_win_dup_fn, MPI_WIN_DUP_FN, MPI_Aint)
FORTRAN_NULL_COPY(mpi_null_copy_fn, MPI_NULL_COPY_FN, MPI_Fint)
FORTRAN_NULL_COPY(mpi_comm_null_copy_fn, MPI_COMM_NULL_COPY_FN, MPI_Aint)
FORTRAN_NULL_COPY(mpi_type_null_copy_fn, MPI_TYPE_NULL_COPY_FN, MPI_Aint)
FORTRAN_NULL_COPY(mpi_win_null_copy_fn, MPI_WIN_NULL_COPY_FN, MPI_Aint)
FORTRAN_NULL_DELETE(mpi_null_delete_fn, MPI_NULL_DELETE_FN, MPI_Fint)
FORTRAN_NULL_DELETE(mpi_comm_null_delete_fn, MPI_COMM_NULL_DELETE_FN, MPI_Aint)
FORTRAN_NULL_DELETE(mpi_type_null_delete_fn, MPI_TYPE_NULL_DELETE_FN, MPI_Aint)
FORTRAN_NULL_DELETE(mpi_win_null_delete_fn, MPI_WIN_NULL_DELETE_FN, MPI_Aint)
FORTRAN(void, mpi_conversion_fn_null, MPI_CONVERSION_FN_NULL, (void)) {
  uncovered("MPI_CONVERSION_FN_NULL");
}

FORTRAN(double, mpi_wtime_f90, MPI_WTIME_F90, (void)) {
  return PMPI_Wtime();
}
FORTRAN(double, mpi_wtick_f90, MPI_WTICK_F90, (void)) {
  return PMPI_Wtick();
}
FORTRAN(MPI_Aint, mpi_aint_add_f90, MPI_AINT_ADD_F90, (const MPI_Aint* base, const MPI_Aint* difference)) {
  return PMPI_Aint_add(*base, *difference);
}
FORTRAN(MPI_Aint, mpi_aint_diff_f90, MPI_AINT_DIFF_F90, (const MPI_Aint* one, const MPI_Aint* other)) {
  return PMPI_Aint_diff(*one, *other);
}
