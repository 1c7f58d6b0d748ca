// What Open MPI's libraries for Fortran and C++ need of its C library beside MPI.

#include "actors/stub/openmpi_internals.h"

#include <string.h>

#include "call_table.h"
#include "actors/stub/host.h"

#define CALL(name, ...) calls()->internals.name(own_rank(), __VA_ARGS__)

enum { k_success = 0, k_out_of_resource = -2 };

EXPORTED int ompi_attr_create_keyval(int of, void* copy, void* erase, int* keyval, void* extra_state, int flags,
                                     void* bindings_state) {
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

/// Without the spaces around it. The caller frees it.
EXPORTED int ompi_fortran_string_f2c(const char* text, int length, char** copy) {
  while (length > 0 && text[length - 1] == ' ') --length;
  while (length > 0 && *text == ' ') ++text, --length;
  *copy = malloc((size_t)length + 1);
  if (*copy == NULL) return k_out_of_resource;
  memcpy(*copy, text, (size_t)length);
  (*copy)[length] = '\0';
  return k_success;
}

/// Cut off, or filled with spaces.
EXPORTED int ompi_fortran_string_c2f(const char* text, char* copy, int length) {
  const size_t room = (size_t)length, used = strnlen(text, room);
  memcpy(copy, text, used);
  memset(copy + used, ' ', room - used);
  return k_success;
}
