#include "actors/calls/attributes.hpp"

#include <climits>

#include "actors/calls/rank.hpp"
#include "actors/calls/surroundings.hpp"
#include "calls.hpp"

namespace tutti::actors {

int Attributes::add(const Keyval& keyval) {
  keyvals_.push_back(std::make_unique<Keyval>(keyval));
  return k_first_number + static_cast<int>(keyvals_.size()) - 1;
}

Keyval* Attributes::find(int number) {
  const auto place = static_cast<size_t>(static_cast<unsigned>(number) - k_first_number);
  return place < keyvals_.size() ? keyvals_[place].get() : nullptr;
}

void Attributes::free(int number) {
  Keyval* const keyval = find(number);
  keyval->is_freed = true;
  if (keyval->users == 0) keyvals_[static_cast<size_t>(number - k_first_number)].reset();
}

void Attributes::release(int number) {
  Keyval* const keyval = find(number);
  if (--keyval->users == 0 && keyval->is_freed)
    keyvals_[static_cast<size_t>(number - k_first_number)].reset();
}

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
    copies->emplace(number, copy);
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

namespace {

/// Those that MPI predefines; nullptr for others. The values have to stay where they are.
AttributeValue* find_predefined(Rank& me, int keyval) {
  static AttributeValue tag_ub = AttributeValue::of_integer(INT_MAX),
                        host = AttributeValue::of_integer(MPI_PROC_NULL),
                        io = AttributeValue::of_integer(MPI_ANY_SOURCE),
                        wtime_is_global = AttributeValue::of_integer(0),
                        universe_size = AttributeValue::of_integer(*me.around().universe_size());
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
      return &universe_size;
    default:
      return nullptr;
  }
}

/// Functions that do nothing are the MPI's own, in this process and in the rank's library.
template <class Function>
Function* known(Rank& me, Function* function) {
  return me.native(function);
}

}  // namespace

int find_attribute(Rank& me, MPI_Comm comm, int keyval, AttributeValue** found) {
  *found = nullptr;
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  if (on == &me.world() || on == &me.self())
    if ((*found = find_predefined(me, keyval)) != nullptr) return MPI_SUCCESS;
  if (me.keyvals().find(keyval) == nullptr)
    return keyval == MPI_KEYVAL_INVALID ? me.result(on, MPI_ERR_KEYVAL) : MPI_SUCCESS;
  const auto there = on->attributes.find(keyval);
  if (there != on->attributes.end()) *found = &there->second;
  return MPI_SUCCESS;
}

int set_attribute(Rank& me, MPI_Comm comm, int keyval, AttributeValue value) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  Keyval* const known_keyval = me.keyvals().find(keyval);
  if (known_keyval == nullptr) return me.result(on, MPI_ERR_KEYVAL);
  if (on->attributes.contains(keyval))
    if (const int code = calls::Comm_delete_attr(me, comm, keyval); code != MPI_SUCCESS) return code;
  on->attributes.emplace(keyval, value);
  ++known_keyval->users;
  return MPI_SUCCESS;
}

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
  const auto found = on->attributes.find(keyval);
  if (found == on->attributes.end())
    return me.keyvals().find(keyval) == nullptr ? me.result(on, MPI_ERR_KEYVAL) : MPI_SUCCESS;
  AttributeValues one{{keyval, found->second}};
  if (const int code = delete_attributes(me, comm, &one); code != MPI_SUCCESS) return me.result(on, code);
  on->attributes.erase(keyval);
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
