#pragma once
// What happens when, in virtual time. A radix heap (Ahuja, Mehlhorn, Orlin, Tarjan, JACM 1990): because time never goes
// back, events are sorted only as far as they are near, and every event moves at most once per bit of time.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tutti::simulate {

/// Events by time; those of one time come back in the order in which they were added. Not thread-safe.
template <class Event>
class EventQueue {
 public:
  bool is_empty() const { return count_ == 0; }

  /// `time` is not before that of the last take().
  void add(uint64_t time, const Event& event) {
    ++count_;
    const size_t bucket = bucket_of(time);
    filled_ |= uint64_t{bucket > 0} << (bucket - 1) % 64;
    buckets_[bucket].push_back({time, event});
  }

  /// Removes the first event; the queue is not empty.
  std::pair<uint64_t, Event> take() {
    if (next_ == buckets_[0].size()) refill();
    --count_;
    const Entry& entry = buckets_[0][next_++];
    return {entry.time, entry.event};
  }

 private:
  struct Entry {
    uint64_t time;
    Event event;
  };

  /// 0: now; b: the highest bit in which the time differs from now is b - 1.
  size_t bucket_of(uint64_t time) const { return static_cast<size_t>(std::bit_width(time ^ now_)); }

  /// Moves the nearest events nearer, the first ones to bucket 0. What they move to is empty, so that events of one
  /// time keep their order.
  void refill() {
    buckets_[0].clear();
    next_ = 0;
    const auto nearest = static_cast<size_t>(std::countr_zero(filled_)) + 1;
    filled_ &= filled_ - 1;
    std::vector<Entry> from = std::move(buckets_[nearest]);
    now_ = std::ranges::min_element(from, {}, &Entry::time)->time;
    count_ -= from.size();
    for (const Entry& entry : from) add(entry.time, entry.event);
    from.clear();
    if (from.capacity() <= k_most_kept) buckets_[nearest] = std::move(from);
  }

  static constexpr size_t k_most_kept = size_t{1} << 16;
  std::array<std::vector<Entry>, 65> buckets_;
  uint64_t filled_ = 0;  // bit b - 1: bucket b has events
  uint64_t now_ = 0, count_ = 0;
  size_t next_ = 0;  // in bucket 0
};

}  // namespace tutti::simulate
