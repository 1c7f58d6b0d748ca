#pragma once
// Operands of reductions in memory. Whole elements are sent, including padding, because operators may access it.

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "collective/mpi/data/datatype.hpp"

namespace tutti::mpi {

/// Bytes of memory for `count` operands of a type with a positive extent. Those of a derived type keep its layout; the
/// last one may extend beyond its extent.
uint64_t operand_memory(int64_t count, const Type& type);

/// Copies operands from the program's buffer to `memory`, which has operand_memory() bytes and begins with the first
/// byte of the first element.
base::Status load_operands(const void* user, int64_t count, const Type& type, std::byte* memory);
/// Copies them back; gaps of the program's buffer stay unchanged.
base::Status store_operands(const std::byte* memory, void* user, int64_t count, const Type& type);

}  // namespace tutti::mpi
