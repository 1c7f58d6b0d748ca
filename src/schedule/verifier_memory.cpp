#include <algorithm>
#include <numeric>

#include "schedule/verifier_contents.hpp"

namespace tutti::schedule::verifier {

ExpressionId Expressions::intern(std::vector<Rank> list) {
  const auto [at, is_new] = known_.try_emplace(std::move(list), static_cast<ExpressionId>(lists_.size()));
  if (is_new) lists_.push_back(&at->first);
  return at->second;
}

ExpressionId Expressions::of_ranks(Rank first, Rank count) {
  std::vector<Rank> list(static_cast<size_t>(count));
  std::iota(list.begin(), list.end(), first);
  return intern(std::move(list));
}

std::optional<ExpressionId> Expressions::reduce(ExpressionId left, ExpressionId right) {
  const uint64_t key = uint64_t{left} << 32 | right;
  if (const auto at = reduced_.find(key); at != reduced_.end()) return at->second;
  std::vector<Rank> list(ranks(left).begin(), ranks(left).end());
  list.insert(list.end(), ranks(right).begin(), ranks(right).end());
  std::vector<Rank> sorted = list;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return std::nullopt;
  const ExpressionId id = intern(commutative_ ? std::move(sorted) : std::move(list));
  reduced_.emplace(key, id);
  return id;
}

bool Expressions::have_same_ranks(ExpressionId a, ExpressionId b) const {
  return std::is_permutation(ranks(a).begin(), ranks(a).end(), ranks(b).begin(), ranks(b).end());
}

std::string Expressions::describe(ExpressionId id) const {
  const std::span<const Rank> list = ranks(id);
  std::string text = list.size() == 1 ? "rank " : "ranks ";
  for (size_t from = 0, to; from < list.size(); from = to) {
    for (to = from + 1; to < list.size() && list[to] == list[to - 1] + 1; ++to) {
    }
    if (from > 0) text += ',';
    text += std::to_string(list[from]);
    if (to - from > 1) text += "-" + std::to_string(list[to - 1]);
  }
  return text;
}

std::optional<uint64_t> Memory::read(uint64_t begin, uint64_t end, std::vector<Piece>& out) const {
  auto piece =
      std::partition_point(pieces_.begin(), pieces_.end(), [&](const Piece& p) { return p.end <= begin; });
  for (uint64_t at = begin; at < end; ++piece) {
    if (piece == pieces_.end() || piece->begin > at) return at;
    const uint64_t to = std::min(end, piece->end);
    out.push_back({at - begin, to - begin, piece->value, piece->origin + (at - piece->begin)});
    at = to;
  }
  return std::nullopt;
}

void Memory::write(uint64_t at, std::span<const Piece> content) {
  if (content.empty()) return;
  const uint64_t begin = at, end = at + content.back().end;
  // Adjacent pieces are included, so that they can be joined.
  const auto first =
      std::partition_point(pieces_.begin(), pieces_.end(), [&](const Piece& p) { return p.end < begin; });
  const auto last =
      std::partition_point(first, pieces_.end(), [&](const Piece& p) { return p.begin <= end; });
  replacement_.clear();
  const auto add = [&](Piece piece) {
    if (piece.begin >= piece.end) return;
    if (!replacement_.empty()) {
      Piece& previous = replacement_.back();
      if (previous.end == piece.begin && previous.value == piece.value &&
          previous.origin + (previous.end - previous.begin) == piece.origin) {
        previous.end = piece.end;
        return;
      }
    }
    replacement_.push_back(piece);
  };
  if (first != last && first->begin < begin) add({first->begin, begin, first->value, first->origin});
  for (const Piece& piece : content) add({at + piece.begin, at + piece.end, piece.value, piece.origin});
  if (first != last) {
    const Piece& tail = *(last - 1);
    if (tail.end > end) {
      const uint64_t from = std::max(end, tail.begin);
      add({from, tail.end, tail.value, tail.origin + (from - tail.begin)});
    }
  }
  const auto keep = std::min(last - first, static_cast<ptrdiff_t>(replacement_.size()));
  const auto rest = std::copy(replacement_.begin(), replacement_.begin() + keep, first);
  if (rest != last)
    pieces_.erase(rest, last);
  else
    pieces_.insert(rest, replacement_.begin() + keep, replacement_.end());
}

}  // namespace tutti::schedule::verifier
