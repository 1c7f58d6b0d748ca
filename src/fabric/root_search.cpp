#include "fabric/root_search.hpp"

#include <algorithm>
#include <iterator>

namespace tutti::fabric {

namespace {

constexpr uint32_t k_line = 64;  // switches in a cache line
// Two cache lines of a row: smaller blocks do not repay the jump, larger ones can be skipped less often.
constexpr uint32_t k_block = 2 * k_line;
// Members that give bounds before all are inspected: every k_stride-th, since neighbours give similar bounds,
// and then members that are found to be far.
constexpr size_t k_stride = 8;
constexpr int k_most_witnesses = 12, k_witnesses_in_vain = 3;
// Cost of inspecting a switch individually, relative to a switch of a block.
constexpr size_t k_jump = 8;

/// The smallest bound. This function and the next use only local variables, so that the compiler sees no
/// aliasing writes and vectorises the loops.
Hops least_of(const Hops* bound, uint32_t count) {
  Hops least = k_unreachable;
  for (uint32_t i = 0; i < count; ++i) least = std::min(least, bound[i]);
  return least;
}

/// Raises bounds to the values of the row, and returns the smallest bound.
Hops bound_block(const Hops* row, Hops* bound, uint32_t count) {
  Hops least = k_unreachable;
  for (uint32_t i = 0; i < count; ++i) {
    const Hops sharper = std::max(bound[i], row[i]);
    bound[i] = sharper;
    least = std::min(least, sharper);
  }
  return least;
}

}  // namespace

Hops RootSearch::find(std::span<const SwitchId> terminals, std::vector<SwitchId>& roots) {
  if (!std::ranges::equal(terminals, last_terminals_)) search(terminals);
  roots = last_roots_;
  return last_radius_;
}

void RootSearch::search(std::span<const SwitchId> terminals) {
  last_terminals_.assign(terminals.begin(), terminals.end());
  last_roots_.clear();
  last_radius_ = k_unreachable;
  bound_.assign(hops_.switch_count(), 0);
  blocks_.clear();
  for (uint32_t first = 0; first < hops_.switch_count(); first += k_block) blocks_.push_back({first, 0});
  most_ = k_unreachable;

  bound(terminals);
  for (const SwitchId id : candidates_) last_radius_ = std::min(last_radius_, bound_[id]);
  if (last_radius_ == k_unreachable) return;
  std::ranges::copy_if(candidates_, std::back_inserter(last_roots_),
                       [&](SwitchId id) { return bound_[id] == last_radius_; });
}

/// Keeps as candidates the switches that may be roots, with their largest number of hops.
void RootSearch::bound(std::span<const SwitchId> terminals) {
  first_.clear();
  rest_.clear();
  for (size_t i = 0; i < terminals.size(); ++i) (i % k_stride == 0 ? first_ : rest_).push_back(terminals[i]);
  bound_by(first_);
  const size_t all_blocks = blocks_.size();
  for (int witnesses = 0; witnesses < k_most_witnesses && sharpen(); ++witnesses)
    if (witnesses == k_witnesses_in_vain && blocks_.size() == all_blocks) break;
  take_candidates();
  // If each of them is at the diameter from some member, no other member changes the result.
  if (least_block()->least == hops_.diameter()) return;
  const bool by_themselves = candidates_.size() * k_jump < blocks_.size() * k_block;
  if (by_themselves) {
    for (const SwitchId at : rest_) bound_candidates_by(at);
  } else {
    bound_by(rest_);
    take_candidates();
  }
}

/// Tightens both bounds with the best switch so far: the member that is farthest from it raises lower bounds,
/// and its exact distance limits the radius from above. False when the two are equal.
bool RootSearch::sharpen() {
  const auto block = least_block();
  const Hops least = block->least;
  const auto best = std::find(bound_.begin() + block->first, bound_.end(), least) - bound_.begin();
  const Hops* row = hops_.row(static_cast<SwitchId>(best));
  const auto worst = std::ranges::max_element(rest_, {}, [&](SwitchId at) { return row[at]; });
  most_ = std::min(most_, worst == rest_.end() ? least : std::max(least, row[*worst]));
  if (most_ <= least) return false;
  const SwitchId witness = *worst;
  rest_.erase(worst);
  bound_by({&witness, 1});
  return true;
}

void RootSearch::bound_by(std::span<const SwitchId> members) {
  for (size_t i = 0; i < members.size(); ++i) {
    const Hops* row = hops_.row(members[i]);
    const Hops* next = i + 1 < members.size() ? hops_.row(members[i + 1]) : row;
    for (Block& block : blocks_) {
      // Prefetches the next row while this one is processed.
      for (uint32_t line = 0; line < k_block; line += k_line) __builtin_prefetch(next + block.first + line);
      block.least = bound_block(row + block.first, bound_.data() + block.first, end_of(block) - block.first);
    }
    // Blocks in which all switches are too far are skipped from then on.
    std::erase_if(blocks_, [&](const Block& block) { return block.least > most_; });
  }
}

void RootSearch::take_candidates() {
  candidates_.resize(blocks_.size() * k_block);
  size_t taken = 0;
  for (const Block& block : blocks_)
    for (uint32_t first = block.first, end = end_of(block); first < end; first += k_line) {
      const uint32_t last = std::min(first + k_line, end);
      // Most cache lines contain no candidate, which a vectorised check detects.
      if (least_of(bound_.data() + first, last - first) > most_) continue;
      for (SwitchId id = first; id < last; ++id) {
        candidates_[taken] = id;
        taken += bound_[id] <= most_ ? 1 : 0;
      }
    }
  candidates_.resize(taken);
}

void RootSearch::bound_candidates_by(SwitchId terminal) {
  const Hops* row = hops_.row(terminal);
  size_t kept = 0;
  for (const SwitchId id : candidates_) {
    bound_[id] = std::max(bound_[id], row[id]);
    candidates_[kept] = id;
    kept += bound_[id] <= most_ ? 1 : 0;
  }
  candidates_.resize(kept);
}

uint32_t RootSearch::end_of(const Block& block) const {
  return std::min(block.first + k_block, hops_.switch_count());
}

}  // namespace tutti::fabric
