#pragma once
// Queue of events in virtual time. A radix heap (Ahuja, Mehlhorn, Orlin, Tarjan, JACM 1990): because time never
// decreases, only near events are sorted, and every event moves at most once per bit of time.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tutti::simulate {

/// Events ordered by time; events of the same time are returned in the order of add(). Not thread-safe.
template <class Event>
class EventQueue {
 public:
  bool is_empty() const { return count_ == 0; }

  /// `time` must not be before that of the last take().
  void add(uint64_t time, const Event& event) {
    ++count_;
    const size_t bucket = bucket_of(time);
    filled_ |= uint64_t{bucket > 0} << (bucket - 1) % 64;
    buckets_[bucket].push_back({time, event});
  }

  /// Removes and returns the first event; the queue must not be empty.
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

  /// Moves the events of the nearest bucket to nearer ones, the first events to bucket 0. These buckets are empty, so
  /// that events of the same time keep their order.
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
