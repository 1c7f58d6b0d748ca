#include "engine/reduce_kernels.hpp"

#include <complex>
#include <cstring>
#include <type_traits>

namespace tutti::engine {

namespace {

template <class Value, class Index>
struct Pair {
  Value value;
  Index index;
};

template <class T>
inline constexpr bool k_is_pair = false;
template <class V, class I>
inline constexpr bool k_is_pair<Pair<V, I>> = true;

template <class T>
inline constexpr bool k_is_complex = false;
template <class T>
inline constexpr bool k_is_complex<std::complex<T>> = true;

struct Byte {  // MPI_BYTE: the bits of uint8_t with fewer operators
  uint8_t bits;
};

template <class T>
inline constexpr bool k_is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// Signed overflow wraps, as in hardware, instead of being undefined.
template <class T, class Apply>
T wrapping(T a, T b, Apply apply) {
  if constexpr (std::is_integral_v<T>) {
    // At least unsigned int: otherwise the product of two uint16_t would be computed, and overflow, in int.
    using Wide = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
    return static_cast<T>(apply(static_cast<Wide>(a), static_cast<Wide>(b)));
  } else {
    return apply(a, b);
  }
}

/// One struct per operator: the types for which MPI defines it, and its computation. `a` is the left operand.
struct Sum {
  template <class T>
  static constexpr bool k_is_defined = k_is_integer<T> || std::is_floating_point_v<T> || k_is_complex<T>;
  template <class T>
  static T apply(T a, T b) {
    return wrapping(a, b, [](auto x, auto y) { return x + y; });
  }
};
struct Prod {
  template <class T>
  static constexpr bool k_is_defined = Sum::k_is_defined<T>;
  template <class T>
  static T apply(T a, T b) {
    if constexpr (k_is_complex<T>)
      return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
    else
      return wrapping(a, b, [](auto x, auto y) { return x * y; });
  }
};
struct Min {
  template <class T>
  static constexpr bool k_is_defined = k_is_integer<T> || std::is_floating_point_v<T>;
  template <class T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
};
struct Max {
  template <class T>
  static constexpr bool k_is_defined = Min::k_is_defined<T>;
  template <class T>
  static T apply(T a, T b) {
    return a > b ? a : b;
  }
};
struct LogicalAnd {
  template <class T>
  static constexpr bool k_is_defined = std::is_integral_v<T>;
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a && b);
  }
};
struct LogicalOr {
  template <class T>
  static constexpr bool k_is_defined = std::is_integral_v<T>;
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a || b);
  }
};
struct LogicalXor {
  template <class T>
  static constexpr bool k_is_defined = std::is_integral_v<T>;
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(!a != !b);
  }
};
struct BitAnd {
  template <class T>
  static constexpr bool k_is_defined = k_is_integer<T> || std::is_same_v<T, Byte>;
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_same_v<T, Byte>)
      return {static_cast<uint8_t>(a.bits & b.bits)};
    else
      return static_cast<T>(a & b);
  }
};
struct BitOr {
  template <class T>
  static constexpr bool k_is_defined = BitAnd::k_is_defined<T>;
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_same_v<T, Byte>)
      return {static_cast<uint8_t>(a.bits | b.bits)};
    else
      return static_cast<T>(a | b);
  }
};
struct BitXor {
  template <class T>
  static constexpr bool k_is_defined = BitAnd::k_is_defined<T>;
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_same_v<T, Byte>)
      return {static_cast<uint8_t>(a.bits ^ b.bits)};
    else
      return static_cast<T>(a ^ b);
  }
};
struct MinLoc {
  template <class T>
  static constexpr bool k_is_defined = k_is_pair<T>;
  template <class T>
  static T apply(T a, T b) {
    if (a.value == b.value) return a.index < b.index ? a : b;
    return a.value < b.value ? a : b;
  }
};
struct MaxLoc {
  template <class T>
  static constexpr bool k_is_defined = k_is_pair<T>;
  template <class T>
  static T apply(T a, T b) {
    if (a.value == b.value) return a.index < b.index ? a : b;
    return a.value > b.value ? a : b;
  }
};

template <class Op, class T>
void run(const std::byte* __restrict source, std::byte* __restrict target, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    T left, right;
    std::memcpy(&left, source + i * sizeof(T), sizeof(T));  // any alignment
    std::memcpy(&right, target + i * sizeof(T), sizeof(T));
    const T result = Op::apply(left, right);
    std::memcpy(target + i * sizeof(T), &result, sizeof(T));
  }
}

/// Calls visit(T{}) with the C++ type of an ElementType.
template <class Visit>
auto with_type(ElementType type, Visit visit) {
  switch (type) {
    case ElementType::int8:
      return visit(int8_t{});
    case ElementType::int16:
      return visit(int16_t{});
    case ElementType::int32:
      return visit(int32_t{});
    case ElementType::int64:
      return visit(int64_t{});
    case ElementType::uint8:
      return visit(uint8_t{});
    case ElementType::uint16:
      return visit(uint16_t{});
    case ElementType::uint32:
      return visit(uint32_t{});
    case ElementType::uint64:
      return visit(uint64_t{});
    case ElementType::float32:
      return visit(float{});
    case ElementType::float64:
      return visit(double{});
    case ElementType::long_double:
      return visit(static_cast<long double>(0));
    case ElementType::complex_float32:
      return visit(std::complex<float>{});
    case ElementType::complex_float64:
      return visit(std::complex<double>{});
    case ElementType::complex_long_double:
      return visit(std::complex<long double>{});
    case ElementType::boolean:
      return visit(bool{});
    case ElementType::float_int:
      return visit(Pair<float, int>{});
    case ElementType::double_int:
      return visit(Pair<double, int>{});
    case ElementType::long_int:
      return visit(Pair<long, int>{});
    case ElementType::int_int:
      return visit(Pair<int, int>{});
    case ElementType::short_int:
      return visit(Pair<short, int>{});
    case ElementType::long_double_int:
      return visit(Pair<long double, int>{});
    case ElementType::byte:
      break;
  }
  return visit(Byte{});
}

template <class Op>
ReduceKernel kernel_for(ElementType type) {
  return with_type(type, []<class T>(T) -> ReduceKernel {
    if constexpr (Op::template k_is_defined<T>)
      return run<Op, T>;
    else
      return nullptr;
  });
}

}  // namespace

ReduceKernel find_reduce_kernel(Operator op, ElementType type) {
  switch (op) {
    case Operator::sum:
      return kernel_for<Sum>(type);
    case Operator::prod:
      return kernel_for<Prod>(type);
    case Operator::min:
      return kernel_for<Min>(type);
    case Operator::max:
      return kernel_for<Max>(type);
    case Operator::land:
      return kernel_for<LogicalAnd>(type);
    case Operator::lor:
      return kernel_for<LogicalOr>(type);
    case Operator::lxor:
      return kernel_for<LogicalXor>(type);
    case Operator::band:
      return kernel_for<BitAnd>(type);
    case Operator::bor:
      return kernel_for<BitOr>(type);
    case Operator::bxor:
      return kernel_for<BitXor>(type);
    case Operator::minloc:
      return kernel_for<MinLoc>(type);
    case Operator::maxloc:
      return kernel_for<MaxLoc>(type);
  }
  return nullptr;
}

uint64_t element_bytes(ElementType type) {
  return with_type(type, []<class T>(T) -> uint64_t { return sizeof(T); });
}

}  // namespace tutti::engine
