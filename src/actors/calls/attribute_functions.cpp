#include "actors/calls/attribute_functions.hpp"

#include "actors/calls/foreign_fields.hpp"
#include "actors/calls/rank.hpp"
#include "calls.hpp"

namespace tutti::actors {

namespace {

#ifdef MPICH_VERSION

using Untyped = void();

#else

/// As Fortran has them, with a place for what they return.
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

}  // namespace

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

}  // namespace tutti::actors
