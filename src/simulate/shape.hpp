#pragma once
// A schedule as the executor wants it: what a task costs and whom it meets, without buffers. Peers are distances, so
// that ranks that do the same share one shape: a million ranks of a barrier have one.

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "schedule/schedule.hpp"

namespace tutti::simulate {

using schedule::TaskId;
using schedule::TaskKind;

inline constexpr uint32_t k_none = UINT32_MAX;

/// Somebody who carries out a schedule: a rank, or the agent of a node.
using Actor = uint32_t;

/// Whom a message is for, or comes from.
struct Address {
  bool is_node = false;   // the leader of a node, whoever that is
  bool is_local = false;  // over node memory; a channel of its own
  uint32_t where = 0;     // a distance: peer - self modulo the number of actors; or a node
  bool operator==(const Address&) const = default;
  auto operator<=>(const Address&) const = default;
};

struct Step {
  TaskKind kind = TaskKind::nop;
  uint16_t priority = 0;
  uint32_t channel = k_none;  // of transfers
  uint32_t place = 0;         // in the channel
  uint64_t bytes = 0;
};

/// The messages of one direction to one peer, in task order.
struct ShapeChannel {
  bool is_send = false;
  Address peer;
  uint32_t first = 0, count = 0;  // in Shape::channel_tasks()
};

/// Immutable.
class Shape {
 public:
  Shape() = default;
  /// `self` is one of `actors`.
  Shape(const schedule::Schedule& schedule, Actor self, uint32_t actors);

  uint32_t size() const { return static_cast<uint32_t>(steps_.size()); }
  const Step& step(TaskId id) const { return steps_[id]; }
  std::span<const uint32_t> indegrees() const { return indegrees_; }
  std::span<const TaskId> successors(TaskId id) const {
    return {successors_.data() + first_successor_[id], successors_.data() + first_successor_[id + 1]};
  }
  std::span<const TaskId> roots() const { return roots_; }

  std::span<const ShapeChannel> channels() const { return channels_; }
  TaskId channel_task(const ShapeChannel& channel, uint32_t place) const {
    return channel_tasks_[channel.first + place];
  }
  /// The task that stands at `place` in a channel, or k_none.
  TaskId find_send(const Address& to, uint32_t place) const { return find(sends(), to, place); }
  TaskId find_receive(const Address& from, uint32_t place) const { return find(receives(), from, place); }

  bool operator==(const Shape& other) const;
  size_t hash() const { return hash_; }

 private:
  void find_channels(const schedule::Schedule& schedule, Actor self, uint32_t actors);
  void compute_hash();
  std::span<const ShapeChannel> sends() const { return std::span(channels_).first(first_receive_); }
  std::span<const ShapeChannel> receives() const { return std::span(channels_).subspan(first_receive_); }
  TaskId find(std::span<const ShapeChannel> channels, const Address& peer, uint32_t place) const;

  std::vector<Step> steps_;
  std::vector<uint32_t> indegrees_, first_successor_;
  std::vector<TaskId> successors_, roots_, channel_tasks_;
  std::vector<ShapeChannel> channels_;  // sends, then receives; each by address
  uint32_t first_receive_ = 0;          // in channels_
  size_t hash_ = 0;
};

/// Every distinct shape once. Not thread-safe.
class ShapeTable {
 public:
  /// Lives as long as the table.
  const Shape* intern(Shape shape);
  size_t size() const { return shapes_.size(); }

 private:
  std::unordered_multimap<size_t, std::unique_ptr<const Shape>> shapes_;
};

}  // namespace tutti::simulate
