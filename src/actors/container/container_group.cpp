#include "actors/container/container_group.hpp"

#include <algorithm>

namespace tutti::actors {

std::unique_ptr<ContainerGroupMember> ContainerGroup::join(std::span<Mailbox* const> here, size_t index) {
  const std::lock_guard lock(mutex_);
  if (members_.empty()) {
    members_.assign(here.begin(), here.end());
    leaders_.emplace(static_cast<uint32_t>(here.size()));
    byte_count_ = here.size() > 1 ? k_memory_bytes : 0;
    bytes_.reset(new std::byte[byte_count_]);
    ended_ = std::vector<std::atomic<uint32_t>>(here.size());
  }
  return std::make_unique<ContainerGroupMember>(*this, index);
}

/// An operation writes only after every rank has ended the previous one.
bool ContainerGroupMember::may_write() {
  return std::ranges::all_of(group_.ended_, [this](const std::atomic<uint32_t>& ended) {
    return static_cast<int32_t>(ended.load(std::memory_order_seq_cst) - own_ended_) >= 0;
  });
}

void ContainerGroupMember::end_operation() {
  group_.ended_[index_].store(++own_ended_, std::memory_order_seq_cst);
  for (Mailbox* const member : group_.members_) member->wake();
}

}  // namespace tutti::actors
