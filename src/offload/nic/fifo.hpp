#pragma once
// A FIFO of registers (docs/offload-engine.md, "Conventions"): per cycle it accepts at most one item, if it
// was not full at the beginning, and delivers at most one, if it was not empty. An item that enters in a
// cycle leaves in a later one.

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

namespace tutti::offload::nic {

template <class T>
class Fifo {
 public:
  explicit Fifo(uint32_t depth) : depth_(depth) {}

  bool can_push() const { return count_ < depth_; }
  bool can_pop() const { return count_ > 0; }
  uint32_t count() const { return count_; }

  /// The oldest item. Requires can_pop() and no pop() in this cycle.
  const T& head() const { return items_[first_]; }

  void push(const T& item) {
    assert(can_push() && !is_pushed_);
    if (items_.size() == count_ && items_.size() < depth_) grow();
    items_[(first_ + count_) % items_.size()] = item;
    is_pushed_ = true;
  }

  void pop() {
    assert(can_pop() && !is_popped_);
    is_popped_ = true;
  }

  /// The clock edge. Returns true when something changed.
  bool commit() {
    if (!is_pushed_ && !is_popped_) return false;
    if (is_popped_) first_ = (first_ + 1) % static_cast<uint32_t>(items_.size());
    count_ = count_ + (is_pushed_ ? 1 : 0) - (is_popped_ ? 1 : 0);
    is_pushed_ = is_popped_ = false;
    return true;
  }

 private:
  // Memory grows on demand: a model of many nodes holds many empty FIFOs.
  void grow() {
    std::vector<T> larger;
    const size_t room = items_.empty() ? 1 : std::min<size_t>(2 * items_.size(), depth_);
    larger.reserve(room);
    for (uint32_t i = 0; i < count_; ++i) larger.push_back(items_[(first_ + i) % items_.size()]);
    larger.resize(room);
    items_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> items_;
  uint32_t depth_, first_ = 0, count_ = 0;
  bool is_pushed_ = false, is_popped_ = false;
};

}  // namespace tutti::offload::nic
