#include "collective/mpi/data/datatype.hpp"

#include <array>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

#include "mpi_versions.h"

namespace tutti::mpi {

namespace {

using base::Status;
using engine::ElementType;

// ---- predefined types: a hash table that does not change after prepare_datatypes() ----

constexpr size_t k_slots = 256;  // a power of two, more than twice the number of predefined types
std::array<Type, k_slots> predefined_types;
MPI_Comm quiet = MPI_COMM_NULL;
int type_keyval = MPI_KEYVAL_INVALID;  // of derived types: the attribute is a Type*

size_t slot_of(MPI_Datatype handle) {
  uint64_t bits = 0;
  std::memcpy(&bits, &handle, sizeof handle);
  return static_cast<size_t>((bits * 0x9E3779B97F4A7C15u) >> 56) % k_slots;
}

const Type* find_predefined(MPI_Datatype handle) {
  for (size_t i = slot_of(handle);; i = (i + 1) % k_slots) {
    if (predefined_types[i].handle == handle) return &predefined_types[i];
    if (predefined_types[i].handle == MPI_DATATYPE_NULL) return nullptr;
  }
}

/// Gets the size and position of the bytes; false if the MPI refuses the handle.
bool measure(MPI_Datatype handle, Type* type) {
  MPI_Count size = 0, lb = 0, extent = 0, true_lb = 0, true_extent = 0;
  if (PMPI_Type_size_x(handle, &size) != MPI_SUCCESS || size < 0) return false;
  if (PMPI_Type_get_extent_x(handle, &lb, &extent) != MPI_SUCCESS) return false;
  if (PMPI_Type_get_true_extent_x(handle, &true_lb, &true_extent) != MPI_SUCCESS) return false;
  type->handle = handle;
  type->size = static_cast<uint64_t>(size);
  type->extent = static_cast<int64_t>(extent);
  type->true_lb = static_cast<int64_t>(true_lb);
  // A run fills its true extent. For derived types, is_run() examines the order of the bytes.
  type->is_run = size > 0 && size == true_extent;
  return true;
}

void insert(MPI_Datatype handle, const ElementType* kernel_type, bool is_fortran = false) {
  Type type;
  if (handle == MPI_DATATYPE_NULL || find_predefined(handle) != nullptr || !measure(handle, &type)) return;
  type.is_predefined = true;
  type.is_fortran = is_fortran;
  // The width of the kernel must match: the width of Fortran types depends on the compiler.
  type.has_kernel_type =
      kernel_type != nullptr && engine::element_bytes(*kernel_type) == static_cast<uint64_t>(type.extent);
  if (type.has_kernel_type) type.kernel_type = *kernel_type;
  size_t i = slot_of(handle);
  while (predefined_types[i].handle != MPI_DATATYPE_NULL) i = (i + 1) % k_slots;
  predefined_types[i] = type;
}

ElementType signed_of(size_t bytes) {
  return bytes == 1   ? ElementType::int8
         : bytes == 2 ? ElementType::int16
         : bytes == 4 ? ElementType::int32
                      : ElementType::int64;
}
ElementType unsigned_of(size_t bytes) {
  return bytes == 1   ? ElementType::uint8
         : bytes == 2 ? ElementType::uint16
         : bytes == 4 ? ElementType::uint32
                      : ElementType::uint64;
}

struct Known {
  MPI_Datatype handle;
  ElementType kernel_type;
};

void insert_c_types() {
  using E = ElementType;
  const Known known[] = {
      {MPI_SIGNED_CHAR, E::int8},
      {MPI_UNSIGNED_CHAR, E::uint8},
      {MPI_BYTE, E::byte},
      {MPI_SHORT, signed_of(sizeof(short))},
      {MPI_UNSIGNED_SHORT, unsigned_of(sizeof(short))},
      {MPI_INT, signed_of(sizeof(int))},
      {MPI_UNSIGNED, unsigned_of(sizeof(int))},
      {MPI_LONG, signed_of(sizeof(long))},
      {MPI_UNSIGNED_LONG, unsigned_of(sizeof(long))},
      {MPI_LONG_LONG, signed_of(sizeof(long long))},
      {MPI_UNSIGNED_LONG_LONG, unsigned_of(sizeof(long long))},
      {MPI_INT8_T, E::int8},
      {MPI_INT16_T, E::int16},
      {MPI_INT32_T, E::int32},
      {MPI_INT64_T, E::int64},
      {MPI_UINT8_T, E::uint8},
      {MPI_UINT16_T, E::uint16},
      {MPI_UINT32_T, E::uint32},
      {MPI_UINT64_T, E::uint64},
      {MPI_AINT, signed_of(sizeof(MPI_Aint))},
      {MPI_OFFSET, signed_of(sizeof(MPI_Offset))},
      {MPI_COUNT, signed_of(sizeof(MPI_Count))},
      {MPI_FLOAT, E::float32},
      {MPI_DOUBLE, E::float64},
      {MPI_LONG_DOUBLE, E::long_double},
      {MPI_C_BOOL, E::boolean},
      {MPI_C_FLOAT_COMPLEX, E::complex_float32},
      {MPI_C_DOUBLE_COMPLEX, E::complex_float64},
      {MPI_C_LONG_DOUBLE_COMPLEX, E::complex_long_double},
      {MPI_CXX_BOOL, E::boolean},
      {MPI_CXX_FLOAT_COMPLEX, E::complex_float32},
      {MPI_CXX_DOUBLE_COMPLEX, E::complex_float64},
      {MPI_CXX_LONG_DOUBLE_COMPLEX, E::complex_long_double},
      {MPI_FLOAT_INT, E::float_int},
      {MPI_DOUBLE_INT, E::double_int},
      {MPI_LONG_INT, E::long_int},
      {MPI_2INT, E::int_int},
      {MPI_SHORT_INT, E::short_int},
      {MPI_LONG_DOUBLE_INT, E::long_double_int},
  };
  for (const Known& entry : known) insert(entry.handle, &entry.kernel_type);
  for (MPI_Datatype handle : {MPI_CHAR, MPI_WCHAR, MPI_PACKED}) insert(handle, nullptr);
}

void insert_fortran_types() {
  using E = ElementType;
  const Known known[] = {
      {MPI_INTEGER, E::int32},
      {MPI_INTEGER1, E::int8},
      {MPI_INTEGER2, E::int16},
      {MPI_INTEGER4, E::int32},
      {MPI_INTEGER8, E::int64},
      {MPI_REAL, E::float32},
      {MPI_REAL4, E::float32},
      {MPI_REAL8, E::float64},
      {MPI_DOUBLE_PRECISION, E::float64},
      {MPI_COMPLEX, E::complex_float32},
      {MPI_COMPLEX8, E::complex_float32},
      {MPI_COMPLEX16, E::complex_float64},
      {MPI_DOUBLE_COMPLEX, E::complex_float64},
      {MPI_2INTEGER, E::int_int},
  };
  for (const Known& entry : known) insert(entry.handle, &entry.kernel_type, true);
  for (MPI_Datatype handle : {MPI_LOGICAL, MPI_CHARACTER, MPI_2REAL, MPI_2DOUBLE_PRECISION})
    insert(handle, nullptr, true);
}

// ---- derived types ----

bool is_run(MPI_Datatype handle);

/// Checks, piece by piece in the order of the type map, that each piece starts at the end of the previous one.
class RunCheck {
 public:
  bool add(int64_t displacement, int64_t count, MPI_Datatype of) {
    if (count == 0) return true;
    if (of != inner_.handle) {  // in most types, all blocks have the same type
      if (!measure(of, &inner_)) return false;
      inner_.is_run = inner_.size == 0 || is_run(of);
    }
    if (inner_.size == 0) return true;
    if (!inner_.is_dense(count)) return false;
    const int64_t from = displacement + inner_.true_lb;
    if (is_started_ && from != end_) return false;
    is_started_ = true;
    end_ = from + count * static_cast<int64_t>(inner_.size);
    return true;
  }
  bool is_started() const { return is_started_; }

 private:
  Type inner_;
  bool is_started_ = false;
  int64_t end_ = 0;
};

/// Reads the constructor of a type and the numbers of its arguments. False for a type with MPI 4's large counts, which
/// is not examined: the MPI would raise an error for its plain envelope.
bool read_envelope(MPI_Datatype handle, int* integers, int* addresses, int* types, int* combiner) {
#ifdef MPICH_VERSION
  if (PMPI_Type_get_envelope_c == nullptr)
    return PMPI_Type_get_envelope(handle, integers, addresses, types, combiner) == MPI_SUCCESS;
  MPI_Count integer_count = 0, address_count = 0, large_count = 0, type_count = 0;
  if (PMPI_Type_get_envelope_c(handle, &integer_count, &address_count, &large_count, &type_count, combiner) !=
          MPI_SUCCESS ||
      large_count > 0)
    return false;
  *integers = static_cast<int>(integer_count);
  *addresses = static_cast<int>(address_count);
  *types = static_cast<int>(type_count);
  return true;
#else
  return PMPI_Type_get_envelope(handle, integers, addresses, types, combiner) == MPI_SUCCESS;
#endif
}

/// Releases a handle that the MPI has returned. Predefined types are not reference-counted.
void release_inner(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_CONTIGUOUS;
  read_envelope(type, &integers, &addresses, &types, &combiner);
  for (const int predefined :
       {MPI_COMBINER_NAMED, MPI_COMBINER_F90_REAL, MPI_COMBINER_F90_COMPLEX, MPI_COMBINER_F90_INTEGER})
    if (combiner == predefined) return;
  PMPI_Type_free(&type);
}

/// The constructor arguments of a derived type. Releases the inner handles that the MPI returns.
struct Contents {
  int combiner = MPI_COMBINER_NAMED;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Datatype> types;

  bool read(MPI_Datatype handle) {
    int integer_count = 0, address_count = 0, type_count = 0;
    if (!read_envelope(handle, &integer_count, &address_count, &type_count, &combiner)) return false;
    if (combiner == MPI_COMBINER_NAMED) return true;
    // One element more than needed, because MPI requires valid arrays even if they are empty.
    integers.resize(static_cast<size_t>(integer_count) + 1);
    addresses.resize(static_cast<size_t>(address_count) + 1);
    types.resize(static_cast<size_t>(type_count), MPI_DATATYPE_NULL);
    types.push_back(MPI_DATATYPE_NULL);
    return PMPI_Type_get_contents(handle, integer_count, address_count, type_count, integers.data(),
                                  addresses.data(), types.data()) == MPI_SUCCESS;
  }
  ~Contents() {
    for (MPI_Datatype type : types)
      if (type != MPI_DATATYPE_NULL) release_inner(type);
  }
};

int64_t extent_of(MPI_Datatype handle) {
  Type type;
  return measure(handle, &type) ? type.extent : 0;
}

/// True if the bytes of one element are contiguous in memory, in the order of the signature. Constructors whose types
/// are rarely dense (subarrays, distributed arrays) are not examined: such types are packed, which is always correct.
bool is_run(MPI_Datatype handle) {
  Contents c;
  if (!c.read(handle)) return false;
  RunCheck check;
  const auto& n = c.integers;
  switch (c.combiner) {
    case MPI_COMBINER_NAMED: {
      Type type;
      return measure(handle, &type) && type.is_run;
    }
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
      return is_run(c.types[0]);
    case MPI_COMBINER_CONTIGUOUS:
      return check.add(0, n[0], c.types[0]) && check.is_started();
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR: {
      const int64_t stride =
          c.combiner == MPI_COMBINER_VECTOR ? n[2] * extent_of(c.types[0]) : c.addresses[0];
      for (int i = 0; i < n[0]; ++i)
        if (!check.add(i * stride, n[1], c.types[0])) return false;
      return check.is_started();
    }
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED: {
      const int64_t extent = extent_of(c.types[0]);
      for (int i = 0; i < n[0]; ++i) {
        const int64_t displacement = c.combiner == MPI_COMBINER_INDEXED
                                         ? n[1 + static_cast<size_t>(n[0]) + static_cast<size_t>(i)] * extent
                                         : c.addresses[static_cast<size_t>(i)];
        if (!check.add(displacement, n[1 + static_cast<size_t>(i)], c.types[0])) return false;
      }
      return check.is_started();
    }
    case MPI_COMBINER_STRUCT:
      for (int i = 0; i < n[0]; ++i) {
        const auto at = static_cast<size_t>(i);
        if (!check.add(c.addresses[at], n[at + 1], c.types[at])) return false;
      }
      return check.is_started();
    default:
      return false;
  }
}

/// MPI has no query for this, but it refuses a message to MPI_PROC_NULL, whose data is never read, if the type is not
/// committed. (MPICH checks only if there is an element to send.)
bool is_committed(MPI_Datatype handle) {
  const char unread = 0;
  return PMPI_Send(&unread, 1, handle, MPI_PROC_NULL, 0, quiet) == MPI_SUCCESS;
}

int forget(MPI_Datatype, int, void* attribute, void*) {
  delete static_cast<Type*>(attribute);
  return MPI_SUCCESS;
}

}  // namespace

Status prepare_datatypes(MPI_Comm quiet_comm) {
  quiet = quiet_comm;
  predefined_types.fill({});
  insert_c_types();
  insert_fortran_types();
  const int code = PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, forget, &type_keyval, nullptr);
  if (code != MPI_SUCCESS) return {base::Code::mpi, "no type_keyval for datatypes", code};
  return {};
}

void release_datatypes() {
  PMPI_Type_free_keyval(&type_keyval);
}

int keep_datatype(MPI_Datatype type, MPI_Datatype* kept) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  if (const int code = PMPI_Type_contiguous(1, type, &made); code != MPI_SUCCESS) return code;
  if (const int code = PMPI_Type_commit(&made); code != MPI_SUCCESS) {
    PMPI_Type_free(&made);
    return code;
  }
  *kept = made;
  return MPI_SUCCESS;
}

bool is_own_name(MPI_Datatype handle) {
  return handle == MPI_DATATYPE_NULL || find_predefined(handle) != nullptr;
}

bool find_size(MPI_Datatype handle, uint64_t* bytes) {
  if (handle == MPI_DATATYPE_NULL) return false;
  if (const Type* known = find_predefined(handle)) {
    *bytes = known->size;
    return true;
  }
  MPI_Count size = 0;
  if (!is_committed(handle) || PMPI_Type_size_x(handle, &size) != MPI_SUCCESS || size < 0) return false;
  *bytes = static_cast<uint64_t>(size);
  return true;
}

bool describe(MPI_Datatype handle, Type* type) {
  if (handle == MPI_DATATYPE_NULL) return false;
  if (const Type* known = find_predefined(handle)) {
    *type = *known;
    return true;
  }
  // Checked first: for an invalid handle, the other functions call the error handler of MPI_COMM_WORLD.
  if (!is_committed(handle)) return false;
  void* attribute = nullptr;
  int found = 0;
  if (PMPI_Type_get_attr(handle, type_keyval, &attribute, &found) != MPI_SUCCESS) return false;
  if (found) {
    *type = *static_cast<Type*>(attribute);
    return true;
  }
  if (!measure(handle, type)) return false;
  type->is_run = type->is_run && is_run(handle);
  // Two threads may examine a type for the first time at once. Only one may set the attribute, because setting it again
  // would delete the description that the other thread may be reading.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  if (PMPI_Type_get_attr(handle, type_keyval, &attribute, &found) != MPI_SUCCESS || found) return true;
  auto* remembered = new (std::nothrow) Type(*type);
  if (remembered != nullptr && PMPI_Type_set_attr(handle, type_keyval, remembered) != MPI_SUCCESS)
    delete remembered;
  return true;
}

}  // namespace tutti::mpi
