#pragma once
// Symbolic memory of the verifier. Private to it.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "schedule/task.hpp"

namespace tutti::schedule::verifier {

using ExpressionId = uint32_t;

/// All values that occur: ordered lists of contributing ranks. A list has no brackets because every operator
/// is associative; for a commutative operator lists are kept sorted, so that equal values have equal lists.
class Expressions {
 public:
  explicit Expressions(bool commutative) : commutative_(commutative) {}

  ExpressionId of_ranks(Rank first, Rank count);
  /// The value `left op right`; nothing when a rank would contribute twice.
  std::optional<ExpressionId> reduce(ExpressionId left, ExpressionId right);
  std::span<const Rank> ranks(ExpressionId id) const { return *lists_[id]; }
  bool have_same_ranks(ExpressionId a, ExpressionId b) const;
  /// "ranks 0-3,5" in order.
  std::string describe(ExpressionId id) const;

 private:
  ExpressionId intern(std::vector<Rank> list);

  bool commutative_;
  std::map<std::vector<Rank>, ExpressionId> known_;
  std::vector<const std::vector<Rank>*> lists_;  // the keys of known_
  std::unordered_map<uint64_t, ExpressionId> reduced_;
};

/// Bytes [begin, end) hold `value` of what its contributors hold from `origin` on.
struct Piece {
  uint64_t begin, end;
  ExpressionId value;
  uint64_t origin;
  bool operator==(const Piece&) const = default;
};

/// A buffer: sorted pieces that do not overlap, joined where they continue each other. What lies between is
/// undefined.
class Memory {
 public:
  std::span<const Piece> pieces() const { return pieces_; }
  /// Appends the content of [begin, end) to `out`, with begin as 0; the first undefined byte if there is one.
  std::optional<uint64_t> read(uint64_t begin, uint64_t end, std::vector<Piece>& out) const;
  /// Puts pieces that begin at 0 and leave no gap at `at`.
  void write(uint64_t at, std::span<const Piece> content);

 private:
  std::vector<Piece> pieces_;
  std::vector<Piece> replacement_;  // scratch of write()
};

}  // namespace tutti::schedule::verifier
