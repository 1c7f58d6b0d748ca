#pragma once
// A schedule prepared for repeated execution (DESIGN §6): caches what every run would otherwise compute
// again.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.hpp"
#include "engine/engine.hpp"
#include "schedule/schedule.hpp"

namespace tutti::engine {

enum class Direction : uint8_t { send, recv };

/// The messages of one direction to one peer, in task order, which is their start order.
struct Channel {
  schedule::Peer peer;
  Direction direction = Direction::send;
  std::span<const schedule::TaskId> tasks;
};

inline constexpr uint32_t k_no_channel = UINT32_MAX;

/// Immutable; any number of operations and threads may share it. It must outlive the operations that run it.
class Plan {
 public:
  /// Errors: invalid_argument for a window of 0; internal if the schedule sends to (or receives from) one
  /// rank both as Peer::rank and as Peer::local, because an endpoint that serves both kinds cannot
  /// distinguish them.
  static base::Result<std::shared_ptr<const Plan>> make(schedule::Schedule schedule, Limits limits);

  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  const schedule::Schedule& schedule() const { return schedule_; }
  const Limits& limits() const { return limits_; }

  std::span<const Channel> channels() const { return channels_; }
  /// k_no_channel for tasks that are not transfers.
  uint32_t channel_of(schedule::TaskId id) const { return channel_of_[id]; }
  /// Tasks without dependencies.
  std::span<const schedule::TaskId> roots() const { return roots_; }

  /// Requirements of the schedule on its bindings and on the engine's ports.
  bool uses_node() const { return schedule_.node_bytes() > 0; }
  bool reduces() const { return reduces_; }
  bool touches(schedule::Slot slot) const { return (slots_ >> static_cast<unsigned>(slot) & 1) != 0; }
  bool addresses(schedule::Peer::Kind kind) const { return (peers_ >> static_cast<unsigned>(kind) & 1) != 0; }
  /// Private memory in addition to the schedule's scratch that a run with a non-commutative operator needs:
  /// for the longest `target op source`.
  uint64_t swap_bytes() const { return swap_bytes_; }

  /// Bytes of memory of the plan, including its schedule.
  size_t footprint_bytes() const;

 private:
  Plan(schedule::Schedule schedule, Limits limits);
  void find_needs();
  void find_channels();
  base::Status check_channels() const;

  schedule::Schedule schedule_;
  Limits limits_;
  std::vector<Channel> channels_;
  std::vector<schedule::TaskId> channel_tasks_;  // Channel::tasks point into it
  std::vector<uint32_t> channel_of_;
  std::vector<schedule::TaskId> roots_;
  uint64_t swap_bytes_ = 0;
  bool reduces_ = false;
  uint32_t slots_ = 0;  // one bit per schedule::Slot
  uint32_t peers_ = 0;  // one bit per schedule::Peer::Kind
};

}  // namespace tutti::engine
