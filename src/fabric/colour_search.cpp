#include "fabric/colour_search.hpp"

#include <algorithm>
#include <bit>

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
  const auto most = std::max_element(colours.begin(), colours.end(), [](ColourWord a, ColourWord b) {
    return std::popcount(a) < std::popcount(b);
  });
  first_word_ = static_cast<uint32_t>(most - colours.begin());
  words_ = 1;
  std::fill(colours.begin(), most, 0);
  std::fill(most + 1, colours.end(), 0);
  return reach_within(root, radius, terminals, {&*most, 1}, budget);
}

bool ColourSearch::reach_within(SwitchId root, Hops radius, std::span<const SwitchId> terminals,
                                std::span<ColourWord> colours, int64_t& budget) {
  seen_.assign(size_t{fabric_.switch_count()} * words_, 0);
  fresh_.resize(seen_.size());
  next_.assign(seen_.size(), 0);
  std::fill(is_next_.begin(), is_next_.end(), 0);  // a search that ran out of budget leaves marks
  const auto free = free_at(root);
  for (uint32_t word = 0; word < words_; ++word)
    row(seen_, root)[word] = row(fresh_, root)[word] = colours[word] & free[word];
  frontier_.assign(1, root);
  for (Hops hops = 0; hops < radius && !frontier_.empty(); ++hops)
    if (!spread(colours, budget)) return false;
  for (const SwitchId at : terminals)
    for (uint32_t word = 0; word < words_; ++word) colours[word] &= row(seen_, at)[word];
  return lowest_colour(colours) != k_no_colour;
}

/// One round: every colour goes one hop on.
bool ColourSearch::spread(std::span<const ColourWord> colours, int64_t& budget) {
  next_frontier_.clear();
  for (const SwitchId from : frontier_) {
    const ColourWord* fresh = row(fresh_, from);
    const auto arcs = fabric_.arcs(from);
    if ((budget -= static_cast<int64_t>(arcs.size() * words_)) < 0) return false;
    for (const Arc& arc : arcs) {
      const auto free = free_at(arc.to);
      const ColourWord* seen = row(seen_, arc.to);
      ColourWord* next = row(next_, arc.to);
      ColourWord any = 0;
      for (uint32_t word = 0; word < words_; ++word) {
        const ColourWord bits = fresh[word] & free[word] & colours[word] & ~seen[word];
        next[word] |= bits;
        any |= bits;
      }
      if (any == 0 || is_next_[arc.to] != 0) continue;
      is_next_[arc.to] = 1;
      next_frontier_.push_back(arc.to);
    }
  }
  for (const SwitchId at : next_frontier_) {
    for (uint32_t word = 0; word < words_; ++word) {
      row(seen_, at)[word] |= row(next_, at)[word];
      row(fresh_, at)[word] = row(next_, at)[word];
      row(next_, at)[word] = 0;
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
    for (const Arc& arc : fabric_.arcs(at)) {
      if (hops_[arc.to] != k_unreachable || !forest_.colours().is_free(arc.to, colour)) continue;
      hops_[arc.to] = static_cast<Hops>(hops_[at] + 1);
      frontier_.push_back(arc.to);
    }
  }
  return hops_.data();
}

}  // namespace tutti::fabric
