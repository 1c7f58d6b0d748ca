#include "collective/mpi/data/operands.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "collective/mpi/data/staging.hpp"

namespace tutti::mpi {

using base::Status;

namespace {

/// The operands of a predefined type as bytes.
struct AsBytes {
  AsBytes(int64_t elements, const Type& type) : count(elements * type.extent) {
    is_known = describe(MPI_BYTE, &byte);
  }
  Type byte;
  int64_t count;
  bool is_known;
  static Status unknown() { return Status::internal("MPI_BYTE is not known"); }
};

/// Copies elements from one buffer to another, both with the layout of the type.
Status copy_elements(const void* from, void* to, int64_t count, const Type& type) {
  std::vector<std::byte> dense(static_cast<uint64_t>(count) * type.size);
  Status status = pack(from, count, type, dense.data());
  return status ? unpack(dense.data(), to, count, type) : status;
}

}  // namespace

uint64_t operand_memory(int64_t count, const Type& type) {
  const auto elements = static_cast<uint64_t>(count) * static_cast<uint64_t>(type.extent);
  if (type.is_predefined) return elements;
  MPI_Count lower_bound = 0, extent = 0;
  PMPI_Type_get_true_extent_x(type.handle, &lower_bound, &extent);
  return elements + static_cast<uint64_t>(std::max<int64_t>(type.extent, extent));
}

Status load_operands(const void* user, int64_t count, const Type& type, std::byte* memory) {
  if (type.is_predefined) {
    const AsBytes bytes(count, type);
    return bytes.is_known ? pack(user, bytes.count, bytes.byte, memory) : AsBytes::unknown();
  }
  std::memset(memory, 0, operand_memory(count, type));
  return copy_elements(user, memory - type.true_lb, count, type);
}

Status store_operands(const std::byte* memory, void* user, int64_t count, const Type& type) {
  if (type.is_predefined) {
    const AsBytes bytes(count, type);
    return bytes.is_known ? unpack(memory, user, bytes.count, bytes.byte) : AsBytes::unknown();
  }
  return copy_elements(memory - type.true_lb, user, count, type);
}

}  // namespace tutti::mpi
