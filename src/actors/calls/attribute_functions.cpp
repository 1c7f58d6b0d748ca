#include "actors/calls/attribute_functions.hpp"

#include <climits>
#include <iterator>

#include "actors/calls/container_services.hpp"
#include "actors/calls/foreign_fields.hpp"
#include "actors/calls/rank.hpp"
#include "calls.hpp"

namespace tutti::actors {

namespace {

#ifdef MPICH_VERSION

using Untyped = void();

#else

/// Calls a Fortran copy function, which returns its results in arguments.
template <class Integer>
int call_fortran_copy(Rank& me, const Keyval& keyval, MPI_Comm of, int number, AttributeValue value,
                      AttributeValue* copy, int* is_kept) {
  using Copy = void(MPI_Fint*, MPI_Fint*, Integer*, Integer*, Integer*, MPI_Fint*, MPI_Fint*);
  MPI_Fint comm = calls::Comm_c2f(me, me.native(of)), key = number, flag = 0, code = MPI_SUCCESS;
  auto extra = static_cast<Integer>(reinterpret_cast<intptr_t>(keyval.extra_state));
  auto in = static_cast<Integer>(value.as_integer()), out = Integer{0};
  function_as<Copy>(keyval.copy)(&comm, &key, &extra, &in, &out, &flag, &code);
  *copy = {reinterpret_cast<void*>(static_cast<intptr_t>(out)), keyval.foreign.kind};
  *is_kept = flag;
  return code;
}

template <class Integer>
int call_fortran_erase(Rank& me, const Keyval& keyval, MPI_Comm of, int number, AttributeValue value) {
  using Erase = void(MPI_Fint*, MPI_Fint*, Integer*, Integer*, MPI_Fint*);
  MPI_Fint comm = calls::Comm_c2f(me, me.native(of)), key = number, code = MPI_SUCCESS;
  auto extra = static_cast<Integer>(reinterpret_cast<intptr_t>(keyval.extra_state));
  auto in = static_cast<Integer>(value.as_integer());
  function_as<Erase>(keyval.erase)(&comm, &key, &in, &extra, &code);
  return code;
}

#endif

/// `of`: the program's handle. `number`: the keyval. Returns the function's result.
int call_copy(Rank& me, const Keyval& keyval, MPI_Comm of, int number, AttributeValue value,
              AttributeValue* copy, int* is_kept) {
#ifdef MPICH_VERSION
  static_cast<void>(me);
  if (keyval.foreign.copy != nullptr) {
    copy->kind = value.kind;
    return keyval.foreign.copy(function_as<Untyped>(keyval.copy), of, number, keyval.extra_state,
                               static_cast<int>(value.kind), value.value, &copy->value, is_kept);
  }
#else
  if (keyval.foreign.kind == AttributeKind::integer)
    return call_fortran_copy<MPI_Fint>(me, keyval, of, number, value, copy, is_kept);
  if (keyval.foreign.kind == AttributeKind::address_integer)
    return call_fortran_copy<MPI_Aint>(me, keyval, of, number, value, copy, is_kept);
#endif
  void* const given = value.as_pointer();
  const int code =
      keyval.copy(of, number, keyval.extra_state, given, static_cast<void*>(&copy->value), is_kept);
  if (copy->value == given)
    *copy = value;
  else
    copy->kind = AttributeKind::pointer;
  return code;
}

int call_erase(Rank& me, const Keyval& keyval, MPI_Comm of, int number, AttributeValue value) {
#ifdef MPICH_VERSION
  static_cast<void>(me);
  if (keyval.foreign.erase != nullptr)
    return keyval.foreign.erase(function_as<Untyped>(keyval.erase), of, number, static_cast<int>(value.kind),
                                value.value, keyval.extra_state);
#else
  if (keyval.foreign.kind == AttributeKind::integer)
    return call_fortran_erase<MPI_Fint>(me, keyval, of, number, value);
  if (keyval.foreign.kind == AttributeKind::address_integer)
    return call_fortran_erase<MPI_Aint>(me, keyval, of, number, value);
#endif
  return keyval.erase(of, number, value.as_pointer(), keyval.extra_state);
}

}  // namespace

int copy_attributes(Rank& me, MPI_Comm from, const AttributeValues& values, AttributeValues* copies) {
  for (const auto& [number, value] : values) {
    Keyval& keyval = *me.keyvals().find(number);
    if (keyval.copy == MPI_COMM_NULL_COPY_FN) continue;
    int is_kept = 0;
    AttributeValue copy = value;
    if (keyval.copy == MPI_COMM_DUP_FN) {
      is_kept = 1;
    } else if (const int code = call_copy(me, keyval, me.programs(from), number, value, &copy, &is_kept);
               code != MPI_SUCCESS) {
      return code;
    }
    if (is_kept == 0) continue;
    copies->emplace_back(number, copy);
    ++keyval.users;
  }
  return MPI_SUCCESS;
}

int delete_attributes(Rank& me, MPI_Comm of, AttributeValues* values) {
  while (!values->empty()) {
    const auto last = std::prev(values->end());
    const int number = last->first;
    Keyval& keyval = *me.keyvals().find(number);
    if (keyval.erase != MPI_COMM_NULL_DELETE_FN)
      if (const int code = call_erase(me, keyval, me.programs(of), number, last->second); code != MPI_SUCCESS)
        return code;
    values->erase(last);
    me.keyvals().release(number);
  }
  return MPI_SUCCESS;
}

void note_type_attribute(Rank& me, MPI_Datatype type, int keyval) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  if (combiner == MPI_COMBINER_NAMED) me.type_attributes().emplace(type, keyval);
}

void delete_type_attributes(Rank& me) {
  for (const auto& [type, keyval] : me.type_attributes()) PMPI_Type_delete_attr(type, keyval);
  me.type_attributes().clear();
}

namespace {

/// Predefined attributes whose values come from the native MPI, which adds error codes for its ranks;
/// nullptr: this job has none. The value is valid until this thread calls again.
AttributeValue* find_native(int keyval, AttributeValue* found) {
  int* value = nullptr;
  int flag = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &value, &flag);
  if (flag == 0) return nullptr;
  *found = AttributeValue::of_integer(*value);
  return found;
}

/// Predefined attributes; nullptr for others. The values must have permanent addresses.
AttributeValue* find_predefined(Rank& me, int keyval) {
  thread_local AttributeValue last_used_code, app_number;
  static AttributeValue tag_ub = AttributeValue::of_integer(INT_MAX),
                        host = AttributeValue::of_integer(MPI_PROC_NULL),
                        io = AttributeValue::of_integer(MPI_ANY_SOURCE),
                        wtime_is_global = AttributeValue::of_integer(0),
                        universe_size = AttributeValue::of_integer(*me.container().universe_size());
  switch (keyval) {
    case MPI_TAG_UB:
      return &tag_ub;
    case MPI_HOST:
      return &host;
    case MPI_IO:
      return &io;
    case MPI_WTIME_IS_GLOBAL:
      return &wtime_is_global;
    case MPI_UNIVERSE_SIZE:
      return *me.container().universe_size() > 0 ? &universe_size : nullptr;
    case MPI_LASTUSEDCODE:
      return find_native(keyval, &last_used_code);
    case MPI_APPNUM:
      return find_native(keyval, &app_number);
    default:
      return nullptr;
  }
}

}  // namespace

int find_attribute(Rank& me, MPI_Comm comm, int keyval, AttributeValue** found) {
  *found = nullptr;
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  if ((*found = find_predefined(me, keyval)) != nullptr) return MPI_SUCCESS;
  if (me.keyvals().find(keyval) == nullptr)
    return keyval == MPI_KEYVAL_INVALID ? me.result(on, MPI_ERR_KEYVAL) : MPI_SUCCESS;
  const auto there = find_value(&on->attributes, keyval);
  if (there != on->attributes.end()) *found = &there->second;
  return MPI_SUCCESS;
}

int set_attribute(Rank& me, MPI_Comm comm, int keyval, AttributeValue value) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  Keyval* const known_keyval = me.keyvals().find(keyval);
  if (known_keyval == nullptr) return me.result(on, MPI_ERR_KEYVAL);
  if (find_value(&on->attributes, keyval) != on->attributes.end())
    if (const int code = calls::Comm_delete_attr(me, comm, keyval); code != MPI_SUCCESS) return code;
  on->attributes.emplace_back(keyval, value);
  ++known_keyval->users;
  return MPI_SUCCESS;
}

}  // namespace tutti::actors
