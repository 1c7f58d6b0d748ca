// Internal functions of MPICH's C library that its libraries for Fortran and C++ call.

#include <mpi.h>

#ifdef MPICH_VERSION

#include <string_view>

#include "actors/calls/attribute_functions.hpp"
#include "actors/calls/internal_calls.hpp"
#include "actors/calls/rank.hpp"

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): names of MPICH
int MPII_Type_get_attr(MPI_Datatype type, int keyval, void* value, int* flag, int kind);
int MPII_Type_set_attr(MPI_Datatype type, int keyval, void* value, int kind);
void MPII_Keyval_set_proxy(int keyval, tutti_copy_proxy* copy, tutti_delete_proxy* erase);
// NOLINTEND(readability-identifier-naming)
}

namespace tutti::actors {

namespace {

Rank& rank_of(void* self) {
  return *static_cast<Rank*>(self);
}

/// A predefined keyval of Fortran is that of C plus one.
int in_c(int keyval) {
  return keyval > MPI_TAG_UB && keyval <= MPI_APPNUM + 1 && (keyval - MPI_TAG_UB) % 2 == 1 ? keyval - 1
                                                                                           : keyval;
}

int comm_get_attr(void* self, MPI_Comm comm, int keyval, void* value, int* flag, int kind) {
  AttributeValue* found = nullptr;
  const int code = find_attribute(rank_of(self), comm, in_c(keyval), &found);
  if (code != MPI_SUCCESS) return code;
  *flag = found != nullptr ? 1 : 0;
  if (found != nullptr)
    *static_cast<void**>(value) =
        static_cast<AttributeKind>(kind) == AttributeKind::pointer ? found->as_pointer() : found->value;
  return MPI_SUCCESS;
}

int comm_set_attr(void* self, MPI_Comm comm, int keyval, void* value, int kind) {
  return set_attribute(rank_of(self), comm, keyval,
                       {.value = value, .kind = static_cast<AttributeKind>(kind)});
}

int type_get_attr(void* self, MPI_Datatype type, int keyval, void* value, int* flag, int kind) {
  return rank_of(self).checked(MPII_Type_get_attr(type, keyval, value, flag, kind));
}

int type_set_attr(void* self, MPI_Datatype type, int keyval, void* value, int kind) {
  Rank& me = rank_of(self);
  const int code = MPII_Type_set_attr(type, keyval, value, kind);
  if (code == MPI_SUCCESS) note_type_attribute(me, type, keyval);
  return me.checked(code);
}

void keyval_set_proxy(void* self, int keyval, tutti_copy_proxy* copy, tutti_delete_proxy* erase) {
  if (Keyval* const own = rank_of(self).keyvals().find(keyval))
    own->foreign = {.copy = copy, .erase = erase};
  else
    MPII_Keyval_set_proxy(keyval, copy, erase);
}

void op_set_cxx(void* self, MPI_Op op, tutti_op_proxy* proxy) {
  if (UserOperator* const own = rank_of(self).operators().find(op)) own->cxx = proxy;
}

void errhandler_set_cxx(void* self, MPI_Errhandler handle, tutti_errhandler_proxy* proxy) {
  if (ErrorHandler* const own = rank_of(self).error_handlers().find(handle)) own->cxx = proxy;
}

}  // namespace

void show(MPI_Request, int) {}
bool can_show_requests() {
  return true;
}
void show(Rank&, const Communicator&) {}

tutti_internal_calls internal_calls() {
  return {.comm_get_attr = comm_get_attr,
          .comm_set_attr = comm_set_attr,
          .type_get_attr = type_get_attr,
          .type_set_attr = type_set_attr,
          .keyval_set_proxy = keyval_set_proxy,
          .op_set_cxx = op_set_cxx,
          .errhandler_set_cxx = errhandler_set_cxx};
}

void take_data(Rank& me, const tutti_stub_datum* data) {
  for (; data->name != nullptr; ++data) {
    const std::string_view name = data->name;
    if (name == "MPI_UNWEIGHTED")
      me.handles().add(MPI_UNWEIGHTED, data->address);
    else if (name == "MPI_WEIGHTS_EMPTY")
      me.handles().add(MPI_WEIGHTS_EMPTY, data->address);
    else
      me.handles().add(data->name, data->address);
  }
}

}  // namespace tutti::actors

#endif
