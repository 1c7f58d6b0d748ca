#pragma once
// For every switch: which colours (multicast table entries) are free, and which tree uses each of the others.
//
// A colour is an MLID counted from 0xC000. Sets of colours are rows of 64-bit words, so that a tree's free
// colours are the AND of a few words of each of its switches (μ.colorBusy and μ.mcts of paper 004, table 3).

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/graph.hpp"

namespace tutti::fabric {

using Colour = uint32_t;
using TreeId = uint32_t;
using ColourWord = uint64_t;
inline constexpr Colour k_no_colour = UINT32_MAX;
inline constexpr uint32_t k_colours_per_word = 64;
/// Number of multicast LIDs in InfiniBand: 0xC000 to 0xFFFE (paper 004, section 1, counts 16,384 with the
/// last one).
inline constexpr uint32_t k_most_colours = 16383;

/// The lowest colour of a set, or k_no_colour.
inline Colour lowest_colour(std::span<const ColourWord> set) {
  for (size_t word = 0; word < set.size(); ++word)
    if (set[word] != 0) return static_cast<Colour>(word * k_colours_per_word + std::countr_zero(set[word]));
  return k_no_colour;
}

inline uint32_t colour_count(std::span<const ColourWord> set) {
  uint32_t count = 0;
  for (const ColourWord word : set) count += static_cast<uint32_t>(std::popcount(word));
  return count;
}

inline ColourWord colour_bit(Colour colour) {
  return ColourWord{1} << (colour % k_colours_per_word);
}

/// Makes `set` the set of this colour alone, of `words` words.
inline void set_only(std::vector<ColourWord>& set, uint32_t words, Colour colour) {
  set.assign(words, 0);
  set[colour / k_colours_per_word] = colour_bit(colour);
}

/// Removes the colours that `others`, a set of at least as many words, does not have.
inline void intersect(std::span<ColourWord> set, std::span<const ColourWord> others) {
  for (size_t word = 0; word < set.size(); ++word) set[word] &= others[word];
}

/// Whether `others`, a set of at least as many words, has a colour of `set`.
inline bool has_common(std::span<const ColourWord> set, std::span<const ColourWord> others) {
  for (size_t word = 0; word < set.size(); ++word)
    if ((set[word] & others[word]) != 0) return true;
  return false;
}

class ColourSets {
 public:
  /// `limit`: the largest number of colours (N_colour). Rows grow with the colours in use.
  ColourSets(uint32_t switch_count, uint32_t limit);

  uint32_t limit() const { return limit_; }
  /// Number of colours opened so far; the next new colour has this number.
  uint32_t opened() const { return opened_; }
  bool is_full() const { return opened_ == limit_; }
  /// Words in a row: enough for the opened colours.
  uint32_t words() const { return words_; }

  /// Opened colours that are free at a switch.
  std::span<const ColourWord> free_at(SwitchId id) const {
    return {free_.data() + size_t{id} * width_, words_};
  }
  bool is_free(SwitchId id, Colour colour) const {
    return (free_[word(id, colour)] & colour_bit(colour)) != 0;
  }
  /// The tree that uses a colour at a switch, or k_none.
  TreeId tree_at(SwitchId id, Colour colour) const { return trees_[size_t{id} * capacity_ + colour]; }

  /// Opens one more colour, free everywhere. Requires !is_full().
  Colour open();
  /// Closes the colour that was opened last. It must be free everywhere.
  void close();
  void take(SwitchId id, Colour colour, TreeId tree);
  void release(SwitchId id, Colour colour);

  size_t memory_bytes() const {
    return free_.capacity() * sizeof(ColourWord) + trees_.capacity() * sizeof(TreeId);
  }

 private:
  size_t word(SwitchId id, Colour colour) const { return size_t{id} * width_ + colour / k_colours_per_word; }
  void widen(uint32_t width);

  uint32_t switch_count_, limit_;
  uint32_t opened_ = 0, words_ = 0;
  uint32_t width_ = 0;     // words that a row has room for
  uint32_t capacity_ = 0;  // colours that a row has room for
  std::vector<ColourWord> free_;
  std::vector<TreeId> trees_;
};

}  // namespace tutti::fabric
