#pragma once
// State of an actor during an execution. Internal to simulate/.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <new>
#include <span>
#include <vector>

#include "simulate/shape.hpp"

namespace tutti::simulate {

/// Sender and task of a message.
struct Sent {
  Actor sender;
  TaskId task;
};

/// Progress of a transfer.
enum class Stage : uint8_t {
  waits,      // waits for its dependencies, or for earlier tasks of its channel
  started,    // receive: nothing has arrived yet; send: requested, or in flight
  asked,      // receive: the sender has sent its request, but this task waits
  announced,  // receive: the sender has sent its request, and this task has started
  here,       // receive: the data has arrived, but this task waits
  arrived,    // receive: the data has arrived, and this task has started
  invited,    // send: the receiver is ready
};

class ActorState;
struct ActorEnd {
  void operator()(ActorState* state) const;
};
using ActorPointer = std::unique_ptr<ActorState, ActorEnd>;

/// Exists from the arrival to the end of all tasks. One block of memory, with its arrays at the end: there may be a
/// million actors, and each access to one is a cache miss.
class ActorState {
 public:
  struct Channel {
    uint32_t next = 0;  // position of the next transfer to start
    uint32_t in_flight : 31 = 0;
    uint32_t is_queued : 1 = false;
  };
  /// Executes one task at a time.
  struct Cpu {
    bool is_busy = false;
    std::pmr::vector<uint64_t> ready;  // heap
  };

  /// Allocates from `memory`; the deleter frees it there.
  static ActorPointer make(const Shape& shape, std::pmr::memory_resource& memory) {
    return ActorPointer(new (memory.allocate(bytes(shape), alignof(ActorState))) ActorState(shape, memory));
  }
  ActorState(const ActorState&) = delete;
  ActorState& operator=(const ActorState&) = delete;

  Channel& channel(uint32_t index) { return channels()[index]; }
  /// Number of messages matched to receives of this channel from any source.
  uint32_t& matched(uint32_t index) { return matched_[index]; }
  uint32_t& waits_for(TaskId id) { return all_waits_for()[id]; }
  Stage& stage(TaskId id) { return stages()[id]; }

  Cpu& cpu(uint32_t index) { return index == 0 ? first_cpu_ : further_cpus_[index - 1]; }

  /// Order of the ready tasks of a CPU: messages in the order of their arrival, then sends, then local tasks.
  enum class Urgency : uint8_t { message, send, local };
  void push(Urgency urgency, uint32_t rank, TaskId id) {
    std::pmr::vector<uint64_t>& ready = cpu(shape.step(id).cpu).ready;
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
  uint32_t open;  // number of incomplete tasks

 private:
  friend struct ActorEnd;

  ActorState(const Shape& of, std::pmr::memory_resource& memory)
      : shape(of),
        open(of.size()),
        memory_(memory),
        first_cpu_{.ready = std::pmr::vector<uint64_t>(&memory)} {
    std::uninitialized_value_construct_n(channels(), of.channels().size());
    std::ranges::copy(of.indegrees(), all_waits_for());
    std::uninitialized_value_construct_n(stages(), of.size());
    if (!of.wild_receives().empty()) matched_ = std::make_unique<uint32_t[]>(of.channels().size());
    if (of.cpu_count() > 1) further_cpus_ = std::make_unique<Cpu[]>(of.cpu_count() - 1);
  }

  static size_t bytes(const Shape& shape) {
    return sizeof(ActorState) + shape.channels().size() * sizeof(Channel) +
           shape.size() * (sizeof(uint32_t) + sizeof(Stage));
  }
  Channel* channels() { return reinterpret_cast<Channel*>(this + 1); }
  uint32_t* all_waits_for() { return reinterpret_cast<uint32_t*>(channels() + shape.channels().size()); }
  Stage* stages() { return reinterpret_cast<Stage*>(all_waits_for() + shape.size()); }

  std::pmr::memory_resource& memory_;
  Cpu first_cpu_;
  std::unique_ptr<Cpu[]> further_cpus_;
  std::unique_ptr<uint32_t[]> matched_;
  uint32_t messages_ = 0;
};

inline void ActorEnd::operator()(ActorState* state) const {
  std::pmr::memory_resource& memory = state->memory_;
  const size_t bytes = ActorState::bytes(state->shape);
  state->~ActorState();
  memory.deallocate(state, bytes, alignof(ActorState));
}

}  // namespace tutti::simulate
