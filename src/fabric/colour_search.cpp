#include "fabric/colour_search.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tutti::fabric {

ColourSearch::ColourSearch(const Fabric& fabric, const Forest& forest)
    : fabric_(fabric), forest_(forest), is_next_(fabric.switch_count(), 0) {}

bool ColourSearch::reach(SwitchId root, Hops radius, std::span<const SwitchId> terminals,
                         std::vector<ColourWord>& colours, int64_t& budget) {
  first_word_ = 0;
  words_ = static_cast<uint32_t>(colours.size());
  return reach_within(root, radius, terminals, colours, budget);
}

bool ColourSearch::reach_in_one_word(SwitchId root, Hops radius, std::span<const SwitchId> terminals,
                                     std::vector<ColourWord>& colours, int64_t& budget) {
  const auto most = std::ranges::max_element(colours, {}, [](ColourWord set) { return std::popcount(set); });
  first_word_ = static_cast<uint32_t>(most - colours.begin());
  words_ = 1;
  std::fill(colours.begin(), most, 0);
  std::fill(most + 1, colours.end(), 0);
  return reach_within(root, radius, terminals, {&*most, 1}, budget);
}

bool ColourSearch::reach_within(SwitchId root, Hops radius, std::span<const SwitchId> terminals,
                                std::span<ColourWord> colours, int64_t& budget) {
  unseen_.resize(size_t{fabric_.switch_count()} * words_);
  for (SwitchId id = 0; id < fabric_.switch_count(); ++id) {
    const auto free = free_at(id);
    for (uint32_t word = 0; word < words_; ++word) row(unseen_, id)[word] = colours[word] & free[word];
  }
  fresh_.resize(unseen_.size());
  next_.assign(unseen_.size(), 0);
  std::fill(is_next_.begin(), is_next_.end(), 0);  // marks remain if a search ran out of budget
  for (uint32_t word = 0; word < words_; ++word)
    row(fresh_, root)[word] = std::exchange(row(unseen_, root)[word], 0);
  frontier_.assign(1, root);
  for (Hops hops = 0; hops < radius && !frontier_.empty(); ++hops)
    if (!spread(budget)) return false;
  for (const SwitchId at : terminals) {
    const auto free = free_at(at);
    for (uint32_t word = 0; word < words_; ++word) colours[word] &= free[word] & ~row(unseen_, at)[word];
  }
  return lowest_colour(colours) != k_no_colour;
}

/// One round: every colour advances one hop.
bool ColourSearch::spread(int64_t& budget) {
  next_frontier_.clear();
  for (const SwitchId from : frontier_) {
    const ColourWord* fresh = row(fresh_, from);
    const auto ends = fabric_.ends(from);
    if ((budget -= static_cast<int64_t>(ends.size() * words_)) < 0) return false;
    for (const SwitchId to : ends) {
      const ColourWord* unseen = row(unseen_, to);
      ColourWord* next = row(next_, to);
      ColourWord any = 0;
      for (uint32_t word = 0; word < words_; ++word) {
        const ColourWord bits = fresh[word] & unseen[word];
        next[word] |= bits;
        any |= bits;
      }
      if (any == 0 || is_next_[to] != 0) continue;
      is_next_[to] = 1;
      next_frontier_.push_back(to);
    }
  }
  for (const SwitchId at : next_frontier_) {
    for (uint32_t word = 0; word < words_; ++word) {
      row(fresh_, at)[word] = std::exchange(row(next_, at)[word], 0);
      row(unseen_, at)[word] &= ~row(fresh_, at)[word];
    }
    is_next_[at] = 0;
  }
  frontier_.swap(next_frontier_);
  return true;
}

const Hops* ColourSearch::hops_within(SwitchId root, Colour colour) {
  hops_.assign(fabric_.switch_count(), k_unreachable);
  hops_[root] = 0;
  frontier_.assign(1, root);
  for (size_t head = 0; head < frontier_.size(); ++head) {
    const SwitchId at = frontier_[head];
    if (hops_[at] + 1 >= k_unreachable) continue;
    for (const SwitchId to : fabric_.ends(at)) {
      if (hops_[to] != k_unreachable || !forest_.colours().is_free(to, colour)) continue;
      hops_[to] = static_cast<Hops>(hops_[at] + 1);
      frontier_.push_back(to);
    }
  }
  return hops_.data();
}

}  // namespace tutti::fabric
