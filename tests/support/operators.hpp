#pragma once
// Reduction operators for tests, some that commute and some that do not.

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>

#include "engine/engine.hpp"

namespace tutti::test {

/// Applies Element::combine(left, right) to every element; memory of any alignment.
template <class Element>
class ElementReducer final : public engine::Reducer {
 public:
  void apply(const std::byte* source, std::byte* target, uint64_t bytes) const override {
    for (uint64_t at = 0; at < bytes; at += sizeof(Element)) {
      Element left, right;
      std::memcpy(&left, source + at, sizeof left);
      std::memcpy(&right, target + at, sizeof right);
      const Element result = Element::combine(left, right);
      std::memcpy(target + at, &result, sizeof result);
    }
  }
  bool is_commutative() const override { return Element::k_commutes; }
};

/// Sums modulo 2^32.
template <size_t words>
struct Sums {
  static constexpr bool k_commutes = true;
  std::array<uint32_t, words> values;
  static Sums combine(Sums left, const Sums& right) {
    for (size_t i = 0; i < words; ++i) left.values[i] += right.values[i];
    return left;
  }
};
using Sum = Sums<1>;

/// The map x -> a·x + b; combining is composition: associative, and almost never commutative. With odd a no
/// operand is ever lost in the product.
template <class Word>
struct Affine {
  static constexpr bool k_commutes = false;
  Word a, b;
  static Affine combine(Affine left, Affine right) {
    return {static_cast<Word>(uint32_t{left.a} * right.a),
            static_cast<Word>(uint32_t{left.a} * right.b + left.b)};
  }
};
using AffineMap = Affine<uint32_t>;

/// An affine map with a sum beside it, in an element whose size is no power of two.
struct AffineMapAndSum {
  static constexpr bool k_commutes = false;
  AffineMap map;
  Sum sum;
  static AffineMapAndSum combine(const AffineMapAndSum& left, const AffineMapAndSum& right) {
    return {AffineMap::combine(left.map, right.map), Sum::combine(left.sum, right.sum)};
  }
};

/// An operator on elements of 4 or 12 bytes.
inline std::unique_ptr<engine::Reducer> make_reducer(uint64_t element_bytes, bool commutative) {
  if (element_bytes == 4 && commutative) return std::make_unique<ElementReducer<Sum>>();
  if (element_bytes == 4) return std::make_unique<ElementReducer<Affine<uint16_t>>>();
  if (element_bytes == 12 && commutative) return std::make_unique<ElementReducer<Sums<3>>>();
  if (element_bytes == 12) return std::make_unique<ElementReducer<AffineMapAndSum>>();
  return nullptr;
}

}  // namespace tutti::test
