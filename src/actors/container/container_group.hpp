#pragma once
// Shared state of the ranks of one communicator in one container (paper 000 §3, figures 7 to 10).

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "actors/messages/mailbox.hpp"
#include "collective/leader_queue.hpp"
#include "engine/engine.hpp"

namespace tutti::actors {

/// Identifies the group of a communicator in each container: its context.
using ContainerGroupKey = uint64_t;

class ContainerGroupMember;

/// Any thread.
class ContainerGroup {
 public:
  /// Size of the memory that its ranks share for one operation.
  static constexpr size_t k_memory_bytes = size_t{1} << 20;

  /// Messages for the leader of the group. The leader waits for them in its own mailbox.
  Mailbox& mailbox() { return mailbox_; }

  /// All its ranks in this container have left.
  bool is_over() const { return !members_.empty() && left_ == members_.size(); }

  /// `here`: the mailboxes of all its ranks in this container, this rank at `index`; the same for all.
  std::unique_ptr<ContainerGroupMember> join(std::span<Mailbox* const> here, size_t index);

 private:
  friend class ContainerGroupMember;
  Mailbox mailbox_;
  std::mutex mutex_;
  std::optional<collective::LeaderQueue> leaders_;
  std::vector<Mailbox*> members_;
  std::unique_ptr<std::byte[]> bytes_;  // physical pages are allocated on first use
  size_t byte_count_ = 0;
  std::atomic<size_t> left_{0};
  std::vector<std::atomic<uint32_t>> ended_;  // by member: number of its ended operations
};

/// One rank's access to the group. Used by its thread only.
class ContainerGroupMember final : public engine::NodeMemory {
 public:
  ContainerGroupMember(ContainerGroup& group, size_t index) : group_(group), index_(index) {}
  ~ContainerGroupMember() { group_.left_.fetch_add(1); }

  std::span<std::byte> memory() override { return {group_.bytes_.get(), group_.byte_count_}; }
  bool may_write() override;
  void end_operation() override;

  /// Its members are the ranks in this container, in order.
  collective::LeaderQueue& leaders() { return *group_.leaders_; }

 private:
  ContainerGroup& group_;
  const size_t index_;
  uint32_t own_ended_ = 0;
};

}  // namespace tutti::actors
