#pragma once
// Event queue of a model that is stepped cycle by cycle and skips cycles without events.

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tutti::interconnect {

/// Events by cycle: a ring of lists for the near future, a map for the rest. Events of one cycle are returned
/// in the order in which they were added, those of the map before those of the ring. Not thread-safe.
template <class Event>
class EventWheel {
 public:
  /// `slots` is a power of two.
  explicit EventWheel(uint32_t slots = 4096) : ring_(slots), mask_(slots - 1) {}

  /// `cycle` is at or after the last next().
  void add(uint64_t cycle, const Event& event) {
    ++count_;
    if (cycle - now_ >= ring_.size()) {
      later_[cycle].push_back(event);
      return;
    }
    std::vector<Event>& slot = ring_[cycle & mask_];
    if (slot.capacity() == 0 && !spare_.empty()) {
      slot = std::move(spare_.back());
      spare_.pop_back();
    }
    slot.push_back(event);
  }

  bool is_empty() const { return count_ == 0; }

  /// The first cycle from `from` on with events, at most `limit`.
  uint64_t next(uint64_t from, uint64_t limit) {
    now_ = from;
    if (count_ == 0) return limit;
    const uint64_t far = later_.empty() ? limit : std::min(limit, later_.begin()->first);
    const uint64_t ring_end = std::min<uint64_t>(far, from + ring_.size());
    uint64_t cycle = from;
    while (cycle < ring_end && ring_[cycle & mask_].empty()) ++cycle;
    // No event before ring_end: the ring is empty, because all its events are nearer than its size.
    return cycle < ring_end ? cycle : far;
  }

  /// Moves the events of `cycle`, a result of next(), to `into`.
  void take(uint64_t cycle, std::vector<Event>& into) {
    now_ = cycle;
    recycle(into);
    into = std::exchange(ring_[cycle & mask_], {});
    if (!later_.empty() && later_.begin()->first == cycle) {
      into.insert(into.begin(), later_.begin()->second.begin(), later_.begin()->second.end());
      later_.erase(later_.begin());
    }
    count_ -= into.size();
  }

 private:
  /// The most recently filled buffer is in the caches, so the next slot that is written to gets it.
  void recycle(std::vector<Event>& used) {
    if (used.capacity() == 0) return;
    used.clear();
    spare_.push_back(std::move(used));
  }

  std::vector<std::vector<Event>> ring_, spare_;
  std::map<uint64_t, std::vector<Event>> later_;
  uint64_t mask_, now_ = 0;
  size_t count_ = 0;
};

}  // namespace tutti::interconnect
