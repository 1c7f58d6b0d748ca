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
    uint32_t matched = 0;  // of receives from anybody: how many messages have found one
    bool is_queued = false;
  };
  /// Does one thing at a time.
  struct Cpu {
    bool is_busy = false;
    std::vector<uint64_t> ready;  // heap
  };

  explicit ActorState(const Shape& of)
      : shape(of),
        open(of.size()),
        waits_for_(std::make_unique<uint32_t[]>(of.size())),
        stages_(std::make_unique<Stage[]>(of.size())),
        channels_(std::make_unique<Channel[]>(of.channels().size())) {
    std::ranges::copy(of.indegrees(), waits_for_.get());
    if (of.cpu_count() > 1) further_cpus_ = std::make_unique<Cpu[]>(of.cpu_count() - 1);
  }

  uint32_t& waits_for(TaskId id) { return waits_for_[id]; }
  Stage& stage(TaskId id) { return stages_[id]; }
  Channel& channel(uint32_t index) { return channels_[index]; }

  Cpu& cpu(uint32_t index) { return index == 0 ? first_cpu_ : further_cpus_[index - 1]; }

  /// What a CPU may do next, the most urgent first: messages in the order in which they came, sends, local tasks.
  enum class Urgency : uint8_t { message, send, local };
  void push(Urgency urgency, uint32_t rank, TaskId id) {
    std::vector<uint64_t>& ready = cpu(shape.step(id).cpu).ready;
    ready.push_back(uint64_t(urgency) << 62 | uint64_t{rank & 0x3fffffff} << 32 | id);
    std::ranges::push_heap(ready, std::greater());
  }
  void push_message(TaskId id) { push(Urgency::message, messages_++, id); }
  static TaskId pop(Cpu& from) {
    std::ranges::pop_heap(from.ready, std::greater());
    const uint64_t key = from.ready.back();
    from.ready.pop_back();
    return static_cast<TaskId>(key);
  }

  const Shape& shape;
  uint32_t open;  // tasks that are not complete

 private:
  std::unique_ptr<uint32_t[]> waits_for_;
  std::unique_ptr<Stage[]> stages_;
  std::unique_ptr<Channel[]> channels_;
  Cpu first_cpu_;
  std::unique_ptr<Cpu[]> further_cpus_;
  uint32_t messages_ = 0;
};

}  // namespace tutti::simulate
