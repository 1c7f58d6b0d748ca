// Internal functions of Open MPI's C library that its libraries for Fortran and C++ call. These libraries
// also access its objects directly; the offsets are determined from objects of the native MPI.

#include <mpi.h>

#ifdef OPEN_MPI

#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "actors/calls/attribute_functions.hpp"
#include "actors/calls/container_services.hpp"
#include "actors/calls/internal_calls.hpp"
#include "actors/calls/rank.hpp"

extern "C" {
int ompi_attr_create_keyval(int of, void* copy, void* erase, int* keyval, void* extra_state, int flags,
                            void* state);
int ompi_attr_create_keyval_fint(int of, void* copy, void* erase, int* keyval, MPI_Fint extra_state,
                                 int flags, void* state);
int ompi_attr_create_keyval_aint(int of, void* copy, void* erase, int* keyval, MPI_Aint extra_state,
                                 int flags, void* state);
int ompi_attr_get_fint(void* attributes, int keyval, MPI_Fint* value, int* flag);
int ompi_attr_get_aint(void* attributes, int keyval, MPI_Aint* value, int* flag);
int ompi_attr_set_fint(int of, void* object, void** attributes, int keyval, MPI_Fint value,
                       bool is_predefined);
int ompi_attr_set_aint(int of, void* object, void** attributes, int keyval, MPI_Aint value,
                       bool is_predefined);
MPI_Datatype ompi_datatype_match_size(int bytes, uint16_t kind, uint16_t language);
extern int32_t ompi_mpi_state;
}

namespace tutti::actors {

namespace {

constexpr int k_of_communicator = 1;  // Open MPI's number for attributes and error handlers of communicators

// ---- offsets in the MPI's objects ----

/// Offset in bytes from the beginning of an object.
using Offset = std::optional<size_t>;

template <class Value>
Value read_at(const void* object, size_t offset) {
  Value value;
  std::memcpy(&value, static_cast<const std::byte*>(object) + offset, sizeof value);
  return value;
}

template <class Value>
void write_at(void* object, size_t offset, const Value& value) {
  std::memcpy(static_cast<std::byte*>(object) + offset, &value, sizeof value);
}

/// Finds the offset of the Fortran number, once assigned, in inactive requests.
Offset find_request_number() {
  constexpr size_t k_count = 4, k_bytes = 256;
  std::array<MPI_Request, k_count> requests{};
  for (MPI_Request& one : requests) {
    if (PMPI_Recv_init(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &one) != MPI_SUCCESS) return {};
    PMPI_Request_c2f(one);
  }
  Offset found;
  for (size_t at = 0; !found && at < k_bytes; at += sizeof(int)) {
    bool is_there = read_at<int>(MPI_REQUEST_NULL, at) == PMPI_Request_c2f(MPI_REQUEST_NULL);
    for (const MPI_Request one : requests)
      is_there = is_there && read_at<int>(one, at) == PMPI_Request_c2f(one);
    if (is_there) found = at;
  }
  for (MPI_Request& one : requests) PMPI_Request_free(&one);
  return found;
}

struct CommunicatorFields {
  Offset attributes;
  std::vector<size_t> groups;  // its own, and the duplicate in the field of the remote group
};

/// `attributes`: offset of the pointer that becomes non-null when a communicator gets its first attribute.
CommunicatorFields find_communicator_fields() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  int keyval = MPI_KEYVAL_INVALID;
  if (PMPI_Comm_dup(MPI_COMM_SELF, &comm) != MPI_SUCCESS ||
      PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr) !=
          MPI_SUCCESS)
    return {};
  const size_t bytes = std::min(sizeof(ForeignFields), malloc_usable_size(comm));
  const auto* const object = reinterpret_cast<const std::byte*>(comm);
  const std::vector<std::byte> before(object, object + bytes);
  PMPI_Comm_set_attr(comm, keyval, nullptr);
  PMPI_Comm_group(comm, &group);
  CommunicatorFields found;
  for (size_t at = 0; at + sizeof(void*) <= bytes; at += sizeof(void*)) {
    const void *const was = read_at<void*>(before.data(), at), *const is = read_at<void*>(comm, at);
    if (!found.attributes && was == nullptr && is != nullptr) found.attributes = at;
    if (is == group) found.groups.push_back(at);
  }
  PMPI_Group_free(&group);
  PMPI_Comm_free(&comm);
  PMPI_Comm_free_keyval(&keyval);
  return found;
}

const Offset& request_number() {
  static const Offset offset = find_request_number();
  return offset;
}

const CommunicatorFields& communicator_fields() {
  static const CommunicatorFields fields = find_communicator_fields();
  return fields;
}

// ---- attributes ----

Rank& rank_of(void* self) {
  return *static_cast<Rank*>(self);
}

AttributeKind kind_of(int integer_bytes) {
  switch (integer_bytes) {
    case 0:
      return AttributeKind::pointer;
    case sizeof(MPI_Fint):
      return AttributeKind::integer;
    default:
      return AttributeKind::address_integer;
  }
}

/// The pointer that libraries read as a communicator's attributes is the address of its object (see show()).
MPI_Comm communicator_of(Rank& me, void* object) {
  const auto handle = me.native(static_cast<MPI_Comm>(object));
  const bool is_known =
      handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF || me.communicators().find_own(handle) != nullptr;
  return is_known ? handle : MPI_COMM_NULL;
}

int attr_create_keyval(void* self, int of, void* copy, void* erase, int* keyval, int integer_bytes,
                       intptr_t extra_state, int flags) {
  Rank& me = rank_of(self);
  if (of == k_of_communicator) {
    *keyval = me.keyvals().add({.copy = me.native(reinterpret_cast<MPI_Comm_copy_attr_function*>(copy)),
                                .erase = me.native(reinterpret_cast<MPI_Comm_delete_attr_function*>(erase)),
                                .extra_state = reinterpret_cast<void*>(extra_state),
                                .foreign = {.kind = kind_of(integer_bytes)}});
    return MPI_SUCCESS;
  }
  switch (kind_of(integer_bytes)) {
    case AttributeKind::pointer:
      return ompi_attr_create_keyval(of, copy, erase, keyval, reinterpret_cast<void*>(extra_state), flags,
                                     nullptr);
    case AttributeKind::integer:
      return ompi_attr_create_keyval_fint(of, copy, erase, keyval, static_cast<MPI_Fint>(extra_state), flags,
                                          nullptr);
    default:
      return ompi_attr_create_keyval_aint(of, copy, erase, keyval, extra_state, flags, nullptr);
  }
}

int attr_get(void* self, void* attributes, int keyval, int integer_bytes, void* value, int* flag) {
  Rank& me = rank_of(self);
  const bool is_short = kind_of(integer_bytes) == AttributeKind::integer;
  const MPI_Comm comm = communicator_of(me, attributes);
  if (comm == MPI_COMM_NULL)
    return is_short ? ompi_attr_get_fint(attributes, keyval, static_cast<MPI_Fint*>(value), flag)
                    : ompi_attr_get_aint(attributes, keyval, static_cast<MPI_Aint*>(value), flag);
  AttributeValue* found = nullptr;
  const int code = find_attribute(me, comm, keyval, &found);
  if (code != MPI_SUCCESS) return code;
  *flag = found != nullptr ? 1 : 0;
  if (found != nullptr && is_short) write_at(value, 0, static_cast<MPI_Fint>(found->as_integer()));
  if (found != nullptr && !is_short) write_at(value, 0, static_cast<MPI_Aint>(found->as_integer()));
  return MPI_SUCCESS;
}

/// The rank's library has its own objects for predefined datatypes: the new attribute pointer is stored there
/// as well.
int set_of_mpi(Rank& me, int of, void* object, void** attributes, int keyval, AttributeValue value) {
  const auto offset = reinterpret_cast<std::byte*>(attributes) - static_cast<std::byte*>(object);
  void* const below = me.native(object);
  auto** const place = reinterpret_cast<void**>(static_cast<std::byte*>(below) + offset);
  const int code =
      value.kind == AttributeKind::integer
          ? ompi_attr_set_fint(of, below, place, keyval, static_cast<MPI_Fint>(value.as_integer()), false)
          : ompi_attr_set_aint(of, below, place, keyval, value.as_integer(), false);
  *attributes = *place;
  return code;
}

int attr_set(void* self, int of, void* object, void** attributes, int keyval, int integer_bytes,
             intptr_t value) {
  Rank& me = rank_of(self);
  const AttributeValue given{.value = reinterpret_cast<void*>(value), .kind = kind_of(integer_bytes)};
  if (of != k_of_communicator) return set_of_mpi(me, of, object, attributes, keyval, given);
  return set_attribute(me, me.native(static_cast<MPI_Comm>(object)), keyval, given);
}

// ---- error handlers, operators, types ----

MPI_Errhandler errhandler_create(void* self, int of, void* function, int language) {
  Rank& me = rank_of(self);
  if (of != k_of_communicator)
    me.container().abort(me, 1, "ranks as threads have error handlers for communicators only");
  auto* const handler = new ErrorHandler;
  handler->kind = ErrorHandler::Kind::function;
  handler->function = reinterpret_cast<MPI_Comm_errhandler_function*>(function);
  handler->language = static_cast<tutti_language>(language);
  handler->handle = me.error_handlers().add(handler);
  return handler->handle;
}

int errhandler_invoke(void* self, void* object, int code) {
  Rank& me = rank_of(self);
  const MPI_Comm comm = communicator_of(me, object);
  return me.result(comm == MPI_COMM_NULL ? nullptr : me.find(comm), code);
}

MPI_Datatype datatype_match_size(void* self, int bytes, uint16_t kind, uint16_t language) {
  return rank_of(self).programs(ompi_datatype_match_size(bytes, kind, language));
}

void op_set_cxx_callback(void* self, MPI_Op op, void* function) {
  if (UserOperator* const own = rank_of(self).operators().find_own(op))
    own->cxx = reinterpret_cast<MPI_User_function*>(function);
}

}  // namespace

bool can_show_requests() {
  return request_number().has_value();
}

void show(MPI_Request handle, int number) {
  if (request_number()) write_at(handle, *request_number(), number);
}

void show(Rank& me, const Communicator& communicator) {
  const CommunicatorFields& fields = communicator_fields();
  void* const object = me.programs(communicator.handle);
  // A rank without a library of its own, in tests: the object would be the native MPI's.
  if (object == MPI_COMM_WORLD || object == MPI_COMM_SELF) return;
  if (fields.attributes) write_at(object, *fields.attributes, object);
  for (const size_t at : fields.groups) write_at(object, at, communicator.group());
}

tutti_internal_calls internal_calls() {
  request_number();  // now: ranks lack the files that the native MPI may need
  communicator_fields();
  return {.attr_create_keyval = attr_create_keyval,
          .attr_get = attr_get,
          .attr_set = attr_set,
          .errhandler_create = errhandler_create,
          .errhandler_invoke = errhandler_invoke,
          .datatype_match_size = datatype_match_size,
          .op_set_cxx_callback = op_set_cxx_callback};
}

void take_data(Rank& me, const tutti_stub_datum* data) {
  for (; data->name != nullptr; ++data) {
    me.handles().add(data->name, data->address);
    const std::string_view name = data->name;
    if (name == "ompi_mpi_state") write_at(data->address, 0, ompi_mpi_state);
    if (name == "ompi_request_null" && request_number())
      write_at(data->address, *request_number(), PMPI_Request_c2f(MPI_REQUEST_NULL));
  }
}

}  // namespace tutti::actors

#endif
