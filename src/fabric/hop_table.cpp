#include "fabric/hop_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace tutti::fabric {

namespace {

/// Breadth-first search from up to 64 switches at once, one bit for each (M. Then et al., "The more the
/// merrier: efficient multi-source graph traversal", VLDB 2014). Switches with adjacent numbers are often
/// near each other, so that they reach mostly the same switches in a round.
class Traversal {
 public:
  static constexpr uint32_t k_most_starts = 64;

  explicit Traversal(const Fabric& fabric)
      : fabric_(fabric), count_(fabric.switch_count()), unseen_(count_), fresh_(count_), next_(count_, 0) {}

  /// Fills columns of the table: `column` points to the first switch's entry for `first`. False when a
  /// distance does not fit into a byte.
  bool fill(SwitchId first, uint32_t starts, Hops* column) {
    std::fill(unseen_.begin(), unseen_.end(), ~uint64_t{0} >> (k_most_starts - starts));
    for (SwitchId id = 0; id < count_; ++id) std::fill_n(column + size_t{id} * count_, starts, k_unreachable);
    frontier_.clear();
    for (uint32_t i = 0; i < starts; ++i) {
      next_[first + i] = uint64_t{1} << i;
      frontier_.push_back(first + i);
    }
    for (Hops hops = 0; !frontier_.empty(); ++hops) {
      if (hops == k_unreachable) return false;
      arrive(hops, column);
      spread();
    }
    return true;
  }

 private:
  /// Stores the distances of the switches reached in this round.
  void arrive(Hops hops, Hops* column) {
    for (const SwitchId at : frontier_) {
      Hops* to = column + size_t{at} * count_;
      for (uint64_t bits = next_[at]; bits != 0; bits &= bits - 1) to[std::countr_zero(bits)] = hops;
      unseen_[at] &= ~next_[at];
      fresh_[at] = std::exchange(next_[at], 0);
    }
  }

  void spread() {
    next_frontier_.clear();
    for (const SwitchId from : frontier_)
      for (const SwitchId to : fabric_.ends(from)) {
        const uint64_t bits = fresh_[from] & unseen_[to];
        if (bits == 0) continue;
        if (next_[to] == 0) next_frontier_.push_back(to);
        next_[to] |= bits;
      }
    frontier_.swap(next_frontier_);
  }

  const Fabric& fabric_;
  const uint32_t count_;
  std::vector<uint64_t> unseen_, fresh_, next_;  // by switch: set of starts that reach it
  std::vector<SwitchId> frontier_, next_frontier_;
};

}  // namespace

base::Result<HopTable> HopTable::compute(const Fabric& fabric, unsigned threads) {
  HopTable table(fabric.switch_count());
  std::atomic<SwitchId> next{0};
  std::atomic<bool> is_too_far{false};
  // Fills columns, which equal rows (the table is symmetric), but are adjacent in memory.
  const auto work = [&] {
    Traversal traversal(fabric);
    for (SwitchId first; (first = next.fetch_add(Traversal::k_most_starts)) < table.count_;) {
      const uint32_t starts = std::min(table.count_ - first, Traversal::k_most_starts);
      if (traversal.fill(first, starts, table.hops_.get() + first)) continue;
      is_too_far = true;
      return;
    }
  };
  std::vector<std::jthread> helpers;
  for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
  helpers.clear();
  if (is_too_far)
    return base::Status::invalid_argument(
        fmt::format("switches of this fabric are more than {} hops apart", k_unreachable - 1));
  Hops most = 0;  // local, so that the compiler vectorises the loop
  for (const Hops hops : std::span(table.hops_.get(), table.memory_bytes())) most = std::max(most, hops);
  table.diameter_ = most;
  return table;
}

}  // namespace tutti::fabric
