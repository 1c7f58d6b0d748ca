#pragma once
// Searches in G_colour (paper 004, section 3.2): the fabric without the switches where the colour is in use.
//
// The paper searches G_colour for one colour after the other. Here one search handles all colours at once as
// bit sets: one instruction moves 64 colours over a cable.

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/forest.hpp"
#include "fabric/hop_table.hpp"

namespace tutti::fabric {

/// Reuses its memory between calls. Each thread needs its own object.
class ColourSearch {
 public:
  ColourSearch(const Fabric& fabric, const Forest& forest);

  /// Keeps those `colours` in whose G_colour every terminal is at most `radius` hops from `root`. The search
  /// does not enter existing trees. `budget` is reduced by the arcs that were inspected. False when no colour
  /// is left, or when the budget is used up.
  bool reach(SwitchId root, Hops radius, std::span<const SwitchId> terminals,
             std::vector<ColourWord>& colours, int64_t& budget);

  /// reach() for only one word of 64 colours: the word that holds most of `colours`. The other colours are
  /// dropped. On long paths this finds nearly as many colours in a fraction of the time.
  bool reach_in_one_word(SwitchId root, Hops radius, std::span<const SwitchId> terminals,
                         std::vector<ColourWord>& colours, int64_t& budget);

  /// Hops to `root` over switches where `colour` is free; k_unreachable elsewhere. Valid until the next call.
  const Hops* hops_within(SwitchId root, Colour colour);

 private:
  bool reach_within(SwitchId root, Hops radius, std::span<const SwitchId> terminals,
                    std::span<ColourWord> colours, int64_t& budget);
  bool spread(int64_t& budget);
  std::span<const ColourWord> free_at(SwitchId id) const {
    return forest_.colours().free_at(id).subspan(first_word_, words_);
  }
  ColourWord* row(std::vector<ColourWord>& rows, SwitchId id) const {
    return rows.data() + size_t{id} * words_;
  }

  const Fabric& fabric_;
  const Forest& forest_;
  uint32_t first_word_ = 0, words_ = 0;  // the range of words of each colour set that is searched
  // Per switch, sets of colours: free and not reached so far, reached in the last round, reached in this
  // round.
  std::vector<ColourWord> unseen_, fresh_, next_;
  std::vector<SwitchId> frontier_, next_frontier_;
  std::vector<uint8_t> is_next_;
  std::vector<Hops> hops_;
};

}  // namespace tutti::fabric
