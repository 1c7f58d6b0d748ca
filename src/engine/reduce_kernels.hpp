#pragma once
// Tutti's reduction loops for the predefined operators and types of MPI (MPI-4.0 §6.9.2, §6.9.4). Plain loops
// that the compiler vectorises; they accept any alignment. They are correct for combinations that a native
// MPI computes wrongly (Open MPI 4.1.4's AVX code on bytes).

#include <cstddef>
#include <cstdint>

#include "base/float_mode.hpp"

namespace tutti::engine {

enum class ElementType : uint8_t {
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64,
  long_double,
  complex_float32,
  complex_float64,
  complex_long_double,
  boolean,  // C _Bool and C++ bool
  byte,     // MPI_BYTE: bit-wise operators only
  float_int,
  double_int,
  long_int,
  int_int,
  short_int,
  long_double_int,  // pairs of MINLOC and MAXLOC
};

enum class Operator : uint8_t { sum, prod, min, max, land, lor, lxor, band, bor, bxor, minloc, maxloc };

/// A predefined operator on a predefined type, and the floating-point mode.
struct NamedOperator {
  Operator op = Operator::sum;
  ElementType element = ElementType::byte;
  base::FloatMode mode = base::FloatMode::of_thread();
};

/// target[i] = source[i] op target[i] for `count` elements; source and target do not overlap.
using ReduceKernel = void (*)(const std::byte* source, std::byte* target, uint64_t count);

/// The loop, or nullptr if MPI defines no such combination.
ReduceKernel find_reduce_kernel(Operator op, ElementType type);

/// Distance in bytes from one element to the next, including padding of pairs.
uint64_t element_bytes(ElementType type);

}  // namespace tutti::engine
