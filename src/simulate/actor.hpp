#pragma once
// What an actor is in the middle of. Internal to simulate/.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "simulate/shape.hpp"

namespace tutti::simulate {

/// A send that has arrived somewhere.
struct Sent {
  Actor sender;
  TaskId task;
};

/// How far a transfer is.
enum class Stage : uint8_t {
  waits,      // for its dependencies, or for others of its channel
  started,    // receive: nothing is here yet; send: the receiver has been asked, or it is under way
  asked,      // receive: the sender asks, and this task waits
  announced,  // receive: the sender asks, and this task has started
  here,       // receive: the data is here, and this task waits
  arrived,    // receive: the data is here, and this task has started
  invited,    // send: the receiver is ready
};

/// From the arrival to the end of everything it has to do. In between its memory is one block.
class ActorState {
 public:
  struct Channel {
    uint32_t next = 0;  // place of the transfer to start next
    uint32_t in_flight = 0;
    bool is_queued = false;
  };

  explicit ActorState(const Shape& of)
      : shape(of),
        open(of.size()),
        waits_for_(std::make_unique<uint32_t[]>(of.size())),
        stages_(std::make_unique<Stage[]>(of.size())),
        channels_(std::make_unique<Channel[]>(of.channels().size())) {
    std::ranges::copy(of.indegrees(), waits_for_.get());
  }

  uint32_t& waits_for(TaskId id) { return waits_for_[id]; }
  Stage& stage(TaskId id) { return stages_[id]; }
  Channel& channel(uint32_t index) { return channels_[index]; }

  /// What the CPU may do next, the most urgent first: messages in the order in which they came, sends, local tasks.
  enum class Urgency : uint8_t { message, send, local };
  void push(Urgency urgency, uint32_t rank, TaskId id) {
    ready_.push_back(uint64_t(urgency) << 62 | uint64_t{rank & 0x3fffffff} << 32 | id);
    std::ranges::push_heap(ready_, std::greater());
  }
  void push_message(TaskId id) { push(Urgency::message, messages_++, id); }
  bool has_ready() const { return !ready_.empty(); }
  TaskId pop() {
    std::ranges::pop_heap(ready_, std::greater());
    const uint64_t key = ready_.back();
    ready_.pop_back();
    return static_cast<TaskId>(key);
  }

  const Shape& shape;
  uint32_t open;  // tasks that are not complete
  bool is_busy = false;
  TaskId busy_with = 0;

 private:
  std::unique_ptr<uint32_t[]> waits_for_;
  std::unique_ptr<Stage[]> stages_;
  std::unique_ptr<Channel[]> channels_;
  std::vector<uint64_t> ready_;  // heap
  uint32_t messages_ = 0;
};

}  // namespace tutti::simulate
