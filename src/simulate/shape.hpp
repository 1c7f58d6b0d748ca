#pragma once
// A schedule in the form that the executor uses: costs and peers of tasks, without buffers. Peers are relative
// distances, so that ranks with the same steps share one shape: a barrier of a million ranks has a single one.

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "schedule/schedule.hpp"
#include "simulate/goal.hpp"

namespace tutti::simulate {

using schedule::TaskId;

inline constexpr uint32_t k_none = UINT32_MAX;

/// Executor of a schedule: a rank, or the agent of a node.
using Actor = uint32_t;

/// peer - self modulo the number of actors.
inline uint32_t distance(Actor peer, Actor self, uint32_t actors) {
  return peer >= self ? peer - self : peer + actors - self;
}

/// Destination or source of a message.
struct Address {
  bool is_any_source = false, is_any_tag = false;  // receives of GOAL programs
  bool is_node = false;                            // the current leader of a node
  bool is_local = false;                           // through node memory; a separate channel
  uint32_t where = 0;                              // a distance(), or a node
  uint64_t tag = 0;
  bool is_any() const { return is_any_source || is_any_tag; }
  /// Whether a receive with this address matches a message of `sent`, which has one source and one tag.
  bool takes(const Address& sent) const {
    return (is_any_source || where == sent.where) && (is_any_tag || tag == sent.tag);
  }
  bool operator==(const Address& other) const { return packed() == other.packed() && tag == other.tag; }
  /// Wildcards are last.
  std::strong_ordering operator<=>(const Address& other) const {
    return packed() != other.packed() ? packed() <=> other.packed() : tag <=> other.tag;
  }

 private:
  uint64_t packed() const {
    return uint64_t{is_any_source} << 35 | uint64_t{is_any_tag} << 34 | uint64_t{is_node} << 33 |
           uint64_t{is_local} << 32 | where;
  }
};

enum class StepKind : uint8_t { send, recv, copy, reduce, nop, calc };

struct Step {
  StepKind kind = StepKind::nop;
  uint16_t cpu = 0;
  uint16_t priority = 0;
  uint32_t channel = k_none;  // of transfers; k_none: none
  uint32_t place = 0;         // position in the channel
  uint64_t bytes = 0;         // calc: picoseconds
};

/// The messages to or from one peer, in task order.
struct ShapeChannel {
  bool is_send = false;
  Address peer;
  uint32_t first = 0, count = 0;  // range of Shape's channel_tasks_
};

/// Immutable.
class Shape {
 public:
  Shape() = default;
  /// `self` is one of the `actors`.
  Shape(const schedule::Schedule& schedule, Actor self, uint32_t actors);
  Shape(const GoalRank& rank, Actor self, uint32_t actors);

  uint32_t size() const { return static_cast<uint32_t>(steps_.size()); }
  const Step& step(TaskId id) const { return steps_[id]; }
  std::span<const uint32_t> indegrees() const { return indegrees_; }
  std::span<const TaskId> successors(TaskId id) const { return ended_.of(id); }
  /// Tasks that wait only for its begin.
  std::span<const TaskId> successors_of_begin(TaskId id) const { return begun_.of(id); }
  uint32_t cpu_count() const { return cpu_count_; }
  std::span<const TaskId> roots() const { return roots_; }

  std::span<const ShapeChannel> channels() const { return channels_; }
  TaskId channel_task(const ShapeChannel& channel, uint32_t place) const {
    return channel_tasks_[channel.first + place];
  }
  /// The task at position `place` of a channel, or k_none.
  TaskId find_send(const Address& to, uint32_t place) const { return find(sends(), to, place); }
  TaskId find_receive(const Address& from, uint32_t place) const { return find(receives(), from, place); }
  /// The receives from any source or with any tag; a part of channels().
  std::span<const ShapeChannel> wild_receives() const {
    return receives().subspan(receives().size() - wild_count_);
  }
  uint32_t index_of(const ShapeChannel& channel) const {
    return static_cast<uint32_t>(&channel - channels_.data());
  }

  bool operator==(const Shape& other) const;
  size_t hash() const { return hash_; }

 private:
  /// Lists by task, stored contiguously.
  struct Lists {
    std::vector<uint32_t> first;  // empty: there are none
    std::vector<TaskId> ids;
    std::span<const TaskId> of(TaskId id) const {
      if (first.empty()) return {};
      return {ids.data() + first[id], ids.data() + first[id + 1]};
    }
    bool operator==(const Lists&) const = default;
  };
  struct Transfer {
    bool is_receive;
    Address peer;
    TaskId id;
  };
  static Lists lists_of(std::span<const GoalOrder> orders, bool at_start, uint32_t tasks);

  void find_channels(std::vector<Transfer> transfers);
  void find_roots();
  void compute_hash();
  std::span<const ShapeChannel> sends() const { return std::span(channels_).first(first_receive_); }
  std::span<const ShapeChannel> receives() const { return std::span(channels_).subspan(first_receive_); }
  TaskId find(std::span<const ShapeChannel> channels, const Address& peer, uint32_t place) const;

  std::vector<Step> steps_;
  std::vector<uint32_t> indegrees_;
  Lists ended_, begun_;
  std::vector<TaskId> roots_, channel_tasks_;
  std::vector<ShapeChannel> channels_;  // sends, then receives; each by address, wildcards last
  uint32_t first_receive_ = 0;          // index in channels_
  uint32_t wild_count_ = 0;
  uint32_t cpu_count_ = 1;
  size_t hash_ = 0;
};

/// Stores each distinct shape once. Not thread-safe.
class ShapeTable {
 public:
  /// The result lives as long as the table.
  const Shape* intern(Shape shape);
  size_t size() const { return shapes_.size(); }

 private:
  std::unordered_multimap<size_t, std::unique_ptr<const Shape>> shapes_;
};

}  // namespace tutti::simulate
