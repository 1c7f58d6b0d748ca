#pragma once
// Scratch buffers that a stream of messages uses in turn; their size does not depend on the length of the stream.

#include <algorithm>

#include "algorithm/phase.hpp"
#include "pattern/segments.hpp"

namespace tutti::algorithm {

/// Ring of receive buffers that pipelined segments reuse in order.
class SegmentTurns {
 public:
  /// Enough to keep a link busy while another one stalls, few enough to fit into the cache.
  static constexpr uint64_t k_places = 4;

  SegmentTurns() = default;
  SegmentTurns(ScheduleBuilder& builder, const pattern::Segments& segments)
      : place_bytes_(segments.longest()), free_(std::min(k_places, segments.count()), k_no_task) {
    memory_ = builder.scratch(place_bytes_ * free_.size());
  }

  bool empty() const { return free_.empty(); }
  BufRef place(uint64_t i, uint64_t bytes) const {
    return memory_.part(i % free_.size() * place_bytes_, bytes);
  }
  /// The task after which the buffer of segment i may be written; set it for the next use of the buffer.
  TaskId& free(uint64_t i) { return free_[i % free_.size()]; }

  /// If ranks forward from these buffers, segment i waits until segment i - k_places has been sent: number of messages
  /// that this adds to the longest chain of dependent messages.
  static constexpr uint64_t extra_rounds(const pattern::Segments& segments) {
    return segments.count() == 0 ? 0 : (segments.count() - 1) / k_places;
  }

 private:
  BufRef memory_;
  uint64_t place_bytes_ = 0;
  TaskIds free_;
};

/// Buffers that messages use in turn, each allocated when it is first used.
class Turns {
 public:
  Turns(ScheduleBuilder& builder, uint64_t bytes, size_t count = 2)
      : builder_(builder), bytes_(bytes), places_(count), turn_(count - 1) {}

  struct Place {
    BufRef memory;
    TaskId free = k_no_task;  // the task that must complete before it is written
  };
  Place next(uint64_t bytes) {
    turn_ = (turn_ + 1) % places_.size();
    Place& place = places_[turn_];
    if (place.memory.empty()) place.memory = builder_.scratch(bytes_);
    return {place.memory.part(0, bytes), place.free};
  }
  /// The buffer that next() returned last is in use until `task` completes.
  void hold_until(TaskId task) { places_[turn_].free = task; }

 private:
  ScheduleBuilder& builder_;
  const uint64_t bytes_;
  std::vector<Place> places_;
  size_t turn_;
};

}  // namespace tutti::algorithm
