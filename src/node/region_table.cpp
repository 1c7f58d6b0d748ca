#include "node/region_table.hpp"

#include <algorithm>
#include <cstring>

#include "node/region_lines.hpp"

namespace tutti::node {
namespace {

/// FNV-1a over the world ranks.
uint64_t hash_of(std::span<const Rank> members) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte b : std::as_bytes(members)) hash = (hash ^ static_cast<uint64_t>(b)) * 0x100000001b3;
  return hash;
}

uint64_t halved(uint64_t value, uint64_t smallest, uint64_t multiple) {
  return std::max(smallest, (value / 2 + multiple - 1) / multiple * multiple);
}

/// Halves the largest of the parts that can still shrink; false if none can.
bool shrink(RegionShape& shape, uint32_t member_count) {
  const RegionShape& least = k_smallest_shape;
  const uint64_t m = member_count;
  const uint64_t memory = shape.memory_bytes > least.memory_bytes ? shape.memory_bytes : 0;
  const uint64_t blocks = shape.block_bytes > least.block_bytes ? m * shape.blocks * shape.block_bytes : 0;
  const uint64_t slots = shape.slots > least.slots ? m * (m - 1) * shape.slots * sizeof(Slot) : 0;
  const uint64_t most = std::max({memory, blocks, slots});
  if (most == 0) return false;
  if (most == memory) {
    shape.memory_bytes = halved(shape.memory_bytes, least.memory_bytes, 128);
  } else if (most == blocks) {
    shape.block_bytes = static_cast<uint32_t>(halved(shape.block_bytes, least.block_bytes, 64));
  } else {
    shape.slots /= 2;
  }
  return true;
}

}  // namespace

uint32_t& RegionTable::bucket(uint64_t members_hash, uint32_t communicator) const {
  return control_.buckets[(members_hash ^ communicator * 0x9e3779b97f4a7c15) % ArenaControl::k_bucket_count];
}

uint32_t RegionTable::find(const RegionKey& key) const {
  const uint64_t hash = hash_of(key.members);
  uint32_t at = bucket(hash, key.communicator);
  for (; at != k_no_entry; at = entry(at).next) {
    const RegionEntry& e = entry(at);
    if (e.members_hash == hash && e.communicator == key.communicator && e.leader == key.members.front() &&
        e.member_count == key.members.size()) {
      break;
    }
  }
  return at;
}

uint32_t RegionTable::add(const RegionKey& key, const RegionShape& wanted) {
  if (control_.free_entry == k_no_entry) control_.closed = true;
  if (control_.closed) return k_no_entry;
  const uint32_t index = control_.free_entry;
  RegionEntry& e = entry(index);
  control_.free_entry = e.next;
  e = {.members_hash = hash_of(key.members),
       .communicator = key.communicator,
       .leader = key.members.front(),
       .member_count = static_cast<uint32_t>(key.members.size())};
  uint32_t& head = bucket(e.members_hash, e.communicator);
  e.next = head;
  head = index;
  allocate(e, wanted);
  control_.region_count.fetch_add(1, std::memory_order_relaxed);
  return index;
}

void RegionTable::allocate(RegionEntry& e, const RegionShape& wanted) {
  const uint64_t budget = control_.free_page_count.load(std::memory_order_relaxed) * k_page_bytes / 16;
  e.shape = wanted;
  for (bool can_shrink = true; can_shrink; can_shrink = shrink(e.shape, e.member_count)) {
    const uint64_t bytes = RegionLayout(e.shape, e.member_count).bytes();
    RegionShape smaller = e.shape;
    if (bytes > budget && shrink(smaller, e.member_count)) continue;
    if (take_pages(e, static_cast<uint32_t>(bytes / k_page_bytes))) return;
    e.refused_bytes = bytes;
  }
}

bool RegionTable::take_pages(RegionEntry& e, uint32_t page_count) {
  auto* map = reinterpret_cast<uint8_t*>(arena_.at(control_.page_map));
  uint8_t* const end = map + control_.page_count;
  for (uint8_t* from = map; (from = std::find(from, end, 0)) != end;) {
    uint8_t* const limit = static_cast<size_t>(end - from) > page_count ? from + page_count : end;
    uint8_t* const taken = std::find(from, limit, 1);
    if (taken - from == page_count) {
      std::memset(from, 1, page_count);
      e.first_page = static_cast<uint32_t>(from - map);
      e.page_count = page_count;
      control_.free_page_count.fetch_sub(page_count, std::memory_order_relaxed);
      return true;
    }
    from = taken;
  }
  return false;
}

void RegionTable::remove(uint32_t index) {
  RegionEntry& e = entry(index);
  uint32_t* link = &bucket(e.members_hash, e.communicator);
  while (*link != index) link = &entry(*link).next;
  *link = e.next;
  std::memset(arena_.at(control_.page_map) + e.first_page, 0, e.page_count);
  control_.free_page_count.fetch_add(e.page_count, std::memory_order_relaxed);
  control_.region_count.fetch_sub(1, std::memory_order_relaxed);
  e.next = control_.free_entry;
  control_.free_entry = index;
}

}  // namespace tutti::node
