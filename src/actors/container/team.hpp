#pragma once
// What the ranks of one communicator in one container share (paper 000 §3, figures 7 to 10).

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "actors/messages/mailbox.hpp"
#include "engine/engine.hpp"
#include "node/leader_queue.hpp"

namespace tutti::actors {

/// Names the team of a communicator in each container: its context.
using TeamKey = uint64_t;

class TeamSeat;

/// Any thread.
class Team {
 public:
  /// Memory that its ranks have in common for one operation.
  static constexpr size_t k_memory_bytes = size_t{1} << 20;

  /// Messages for whoever leads the team. Another mailbox's owner waits for them.
  Mailbox& mailbox() { return mailbox_; }

  /// All its ranks in this container have left.
  bool is_over() const { return !members_.empty() && left_ == members_.size(); }

  /// `here`: those of all its ranks in this container, of which this is number `index`; the same for all.
  std::unique_ptr<TeamSeat> join(std::span<Mailbox* const> here, size_t index);

 private:
  friend class TeamSeat;
  /// An operation that not all ranks have come to.
  struct Open {
    uint8_t collective = 0;
    uint32_t leader = 0, arrived = 0;
  };

  Mailbox mailbox_;
  std::mutex mutex_;
  std::map<uint32_t, Open> open_;  // by sequence
  std::vector<Mailbox*> members_;
  std::unique_ptr<std::byte[]> bytes_;  // not touched before it is used
  size_t byte_count_ = 0;
  std::atomic<size_t> left_{0};
  std::vector<std::atomic<uint32_t>> ended_;  // operations that used the memory, by member
};

/// One rank's view. Used by its thread.
class TeamSeat final : public engine::NodeMemory, public node::LeaderQueue {
 public:
  TeamSeat(Team& team, size_t index) : team_(team), index_(index) {}
  ~TeamSeat() { team_.left_.fetch_add(1); }

  std::span<std::byte> memory() override { return {team_.bytes_.get(), team_.byte_count_}; }
  bool may_write() override;
  void end_operation() override;

  /// The paper's critical section: who comes first leads.
  base::Result<node::Arrival> arrive(uint8_t collective, uint32_t sequence,
                                     std::optional<uint32_t> forced_leader) override;

 private:
  Team& team_;
  const size_t index_;
  uint32_t own_ended_ = 0;
};

}  // namespace tutti::actors
