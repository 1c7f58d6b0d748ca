#pragma once
// The data path of small allreduces: f(a, b) on 64-bit patterns, bit-identical to the RTL.

#include <bit>
#include <cmath>
#include <cstdint>

#include "offload/descriptor.hpp"

namespace tutti::offload::nic {

/// The result of every floating-point operation that yields NaN: hardware need not distinguish NaNs.
inline constexpr uint64_t k_canonical_nan = 0x7ff8000000000000;

inline uint64_t apply_float64(Operator op, uint64_t left, uint64_t right) {
  const double a = std::bit_cast<double>(left), b = std::bit_cast<double>(right);
  if (op != Operator::sum && op != Operator::min && op != Operator::max) return right;
  if (op == Operator::sum) {
    const double sum = a + b;
    return std::isnan(sum) ? k_canonical_nan : std::bit_cast<uint64_t>(sum);
  }
  if (std::isnan(a) || std::isnan(b)) return k_canonical_nan;
  return (op == Operator::min ? b < a : b > a) ? right : left;
}

/// f(left, right) of docs/offload-engine.md ("Accepted"); defined for all inputs, also for those that no
/// encoder writes.
inline uint64_t apply(Operator op, ElementType type, uint64_t left, uint64_t right) {
  if (type == ElementType::float64) return apply_float64(op, left, right);
  const bool is_less =
      type == ElementType::int64 ? static_cast<int64_t>(right) < static_cast<int64_t>(left) : right < left;
  switch (op) {
    case Operator::sum:
      return left + right;
    case Operator::min:
      return is_less ? right : left;
    case Operator::max:
      return is_less || left == right ? left : right;
    case Operator::bit_and:
      return left & right;
    case Operator::bit_or:
      return left | right;
    case Operator::none:
      break;
  }
  return right;
}

}  // namespace tutti::offload::nic
