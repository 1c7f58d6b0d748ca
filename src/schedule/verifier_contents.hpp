#pragma once
// Symbolic memory of the verifier. Used only by the verifier.

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

/// All values that occur: ordered lists of contributing ranks. A list needs no brackets because every operator is
/// associative. For a commutative operator lists are sorted, so that equal values have equal lists.
class Expressions {
 public:
  explicit Expressions(bool commutative) : commutative_(commutative) {}

  ExpressionId of_ranks(Rank first, Rank count);
  /// The value `left op right`; nullopt if a rank would contribute twice.
  std::optional<ExpressionId> reduce(ExpressionId left, ExpressionId right);
  std::span<const Rank> ranks(ExpressionId id) const { return *lists_[id]; }
  bool have_same_ranks(ExpressionId a, ExpressionId b) const;
  /// Ranks in order: "ranks 0-3,5".
  std::string describe(ExpressionId id) const;

 private:
  ExpressionId intern(std::vector<Rank> list);

  bool commutative_;
  std::map<std::vector<Rank>, ExpressionId> known_;
  std::vector<const std::vector<Rank>*> lists_;  // the keys of known_
  std::unordered_map<uint64_t, ExpressionId> reduced_;
};

/// Bytes [begin, end) hold `value` over the bytes of the contributors' operands from `origin` on.
struct Piece {
  uint64_t begin, end;
  ExpressionId value;
  uint64_t origin;
  bool operator==(const Piece&) const = default;
};

/// A buffer: sorted pieces that do not overlap, adjacent ones joined if they have the same value and contiguous
/// origins. Bytes outside all pieces are undefined.
class Memory {
 public:
  std::span<const Piece> pieces() const { return pieces_; }
  /// Appends the contents of [begin, end) to `out`, relative to begin. Returns the first undefined byte, if any.
  std::optional<uint64_t> read(uint64_t begin, uint64_t end, std::vector<Piece>& out) const;
  /// Writes `content`, gapless pieces that begin at 0, to offset `at`.
  void write(uint64_t at, std::span<const Piece> content);

 private:
  std::vector<Piece> pieces_;
  std::vector<Piece> replacement_;  // scratch of write()
};

}  // namespace tutti::schedule::verifier
