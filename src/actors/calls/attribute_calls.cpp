// Attributes of communicators (MPI 4.0, §7.7).

#include "actors/calls/attribute_functions.hpp"
#include "actors/calls/rank.hpp"
#include "calls.hpp"

namespace tutti::actors {

namespace {

/// Converts a predefined function (that does nothing) of the rank's library to that of the native MPI.
template <class Function>
Function* known(Rank& me, Function* function) {
  return me.native(function);
}

}  // namespace

namespace calls {

// NOLINTBEGIN(readability-identifier-naming): names of MPI
int Comm_create_keyval(Rank& me, MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* erase,
                       int* keyval, void* extra_state) {
  *keyval =
      me.keyvals().add({.copy = known(me, copy), .erase = known(me, erase), .extra_state = extra_state});
  return MPI_SUCCESS;
}

int Comm_free_keyval(Rank& me, int* keyval) {
  if (me.keyvals().find(*keyval) == nullptr) return me.result(nullptr, MPI_ERR_KEYVAL);
  me.keyvals().free(*keyval);
  *keyval = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

int Comm_get_attr(Rank& me, MPI_Comm comm, int keyval, void* value, int* flag) {
  AttributeValue* found = nullptr;
  const int code = find_attribute(me, comm, keyval, &found);
  if (code != MPI_SUCCESS) return code;
  *flag = found != nullptr ? 1 : 0;
  if (found != nullptr) *static_cast<void**>(value) = found->as_pointer();
  return MPI_SUCCESS;
}

int Comm_delete_attr(Rank& me, MPI_Comm comm, int keyval) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  const auto found = find_value(&on->attributes, keyval);
  if (found == on->attributes.end())
    return me.keyvals().find(keyval) == nullptr ? me.result(on, MPI_ERR_KEYVAL) : MPI_SUCCESS;
  AttributeValues one{{keyval, found->second}};
  if (const int code = delete_attributes(me, comm, &one); code != MPI_SUCCESS) return me.result(on, code);
  on->attributes.erase(found);
  return MPI_SUCCESS;
}

int Comm_set_attr(Rank& me, MPI_Comm comm, int keyval, void* value) {
  return set_attribute(me, comm, keyval, {.value = value});
}

int Keyval_create(Rank& me, MPI_Copy_function* copy, MPI_Delete_function* erase, int* keyval,
                  void* extra_state) {
  return Comm_create_keyval(me, copy, erase, keyval, extra_state);
}
int Keyval_free(Rank& me, int* keyval) {
  return Comm_free_keyval(me, keyval);
}
int Attr_put(Rank& me, MPI_Comm comm, int keyval, void* value) {
  return Comm_set_attr(me, comm, keyval, value);
}
int Attr_get(Rank& me, MPI_Comm comm, int keyval, void* value, int* flag) {
  return Comm_get_attr(me, comm, keyval, value, flag);
}
int Attr_delete(Rank& me, MPI_Comm comm, int keyval) {
  return Comm_delete_attr(me, comm, keyval);
}
// NOLINTEND(readability-identifier-naming)

}  // namespace calls

}  // namespace tutti::actors
