#pragma once
// Reduction operators for tests: one that commutes and one that does not.

#include <cstdint>
#include <cstring>

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

/// Sum modulo 2^32.
struct Sum {
  static constexpr bool k_commutes = true;
  uint32_t value;
  static Sum combine(Sum left, Sum right) { return {left.value + right.value}; }
};

/// The map x -> a·x + b modulo 2^32; combining is composition: associative, and almost never commutative.
struct AffineMap {
  static constexpr bool k_commutes = false;
  uint32_t a, b;
  static AffineMap combine(AffineMap left, AffineMap right) {
    return {left.a * right.a, left.a * right.b + left.b};
  }
};

}  // namespace tutti::test
