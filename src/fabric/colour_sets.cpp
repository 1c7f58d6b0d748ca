#include "fabric/colour_sets.hpp"

#include <algorithm>
#include <utility>

namespace tutti::fabric {

ColourSets::ColourSets(uint32_t switch_count, uint32_t limit) : switch_count_(switch_count), limit_(limit) {}

Colour ColourSets::open() {
  const Colour colour = opened_++;
  words_ = (opened_ + k_colours_per_word - 1) / k_colours_per_word;
  if (words_ > width_) widen(std::max(2 * width_, 1u));
  for (SwitchId id = 0; id < switch_count_; ++id) free_[word(id, colour)] |= colour_bit(colour);
  return colour;
}

void ColourSets::close() {
  const Colour colour = --opened_;
  words_ = (opened_ + k_colours_per_word - 1) / k_colours_per_word;
  for (SwitchId id = 0; id < switch_count_; ++id) free_[word(id, colour)] &= ~colour_bit(colour);
}

void ColourSets::widen(uint32_t width) {
  const uint32_t capacity = width * k_colours_per_word;
  std::vector<ColourWord> free(size_t{switch_count_} * width, 0);
  std::vector<TreeId> trees(size_t{switch_count_} * capacity, k_none);
  for (SwitchId id = 0; id < switch_count_; ++id) {
    std::copy_n(free_.data() + size_t{id} * width_, width_, free.data() + size_t{id} * width);
    std::copy_n(trees_.data() + size_t{id} * capacity_, capacity_, trees.data() + size_t{id} * capacity);
  }
  free_ = std::move(free);
  trees_ = std::move(trees);
  width_ = width;
  capacity_ = capacity;
}

void ColourSets::take(SwitchId id, Colour colour, TreeId tree) {
  free_[word(id, colour)] &= ~colour_bit(colour);
  trees_[size_t{id} * capacity_ + colour] = tree;
}

void ColourSets::release(SwitchId id, Colour colour) {
  free_[word(id, colour)] |= colour_bit(colour);
  trees_[size_t{id} * capacity_ + colour] = k_none;
}

}  // namespace tutti::fabric
