#include "node/region_memory.hpp"

#include "node/shared_mailbox.hpp"

namespace tutti::node {

RegionMemory::RegionMemory(const Region& region)
    : region_(region), ended_(member_line(region, region.me().index).ended.load(std::memory_order_relaxed)) {}

std::span<std::byte> RegionMemory::memory() {
  const RegionLayout& layout = region_.layout();
  return {region_.base() + layout.memory(ended_ & 1), layout.operation_bytes()};
}

bool RegionMemory::may_write() {
  // This operation has number `ended_`; the previous one in the same half has number ended_ - 2.
  const uint32_t needed = ended_ - 1;
  for (uint32_t i = 0; i < region_.member_count(); ++i) {
    if (!has_reached(member_line(region_, i).ended.load(std::memory_order_acquire), needed)) return false;
  }
  return true;
}

void RegionMemory::end_operation() {
  member_line(region_, region_.me().index).ended.store(++ended_, std::memory_order_release);
}

}  // namespace tutti::node
