#include "node/region_layout.hpp"

#include <fmt/format.h>

#include <bit>
#include <new>

#include "base/text.hpp"
#include "node/region_lines.hpp"

namespace tutti::node {

base::Status check(const RegionShape& shape, uint32_t member_count) {
  using base::Status;
  if (member_count < 2 || member_count > RegionLayout::k_max_members) {
    return Status::invalid_argument(
        fmt::format("region: {} members; a region has 2 to {}", member_count, RegionLayout::k_max_members));
  }
  if (!std::has_single_bit(shape.slots) || shape.slots < 2 || shape.slots > 1024) {
    return Status::invalid_argument(
        fmt::format("region: {} slots; it has to be a power of two from 2 to 1024", shape.slots));
  }
  if (shape.blocks < PoolFlags::k_reserved_for_chunks + 1 || shape.blocks > PoolFlags::k_max_blocks) {
    return Status::invalid_argument(fmt::format("region: {} staging blocks per sender; it has to be {} to {}",
                                                shape.blocks, PoolFlags::k_reserved_for_chunks + 1,
                                                PoolFlags::k_max_blocks));
  }
  if (shape.block_bytes < k_inline_bytes || shape.block_bytes > 16 << 20 || shape.block_bytes % 64 != 0) {
    return Status::invalid_argument(
        fmt::format("region: staging blocks of {} bytes; it has to be a multiple of 64 from "
                    "256 to 16M",
                    shape.block_bytes));
  }
  if (shape.memory_bytes % 128 != 0 || shape.memory_bytes > RegionLayout::k_max_memory_bytes) {
    return Status::invalid_argument(
        fmt::format("region: {} bytes of memory; it has to be a multiple of 128, at most {}",
                    shape.memory_bytes, base::format_bytes(RegionLayout::k_max_memory_bytes)));
  }
  return {};
}

RegionLayout::RegionLayout(const RegionShape& shape, uint32_t member_count)
    : shape_(shape), member_count_(member_count) {
  const uint64_t m = member_count;
  mailbox_bytes_ = sizeof(SenderLine) + sizeof(ReceiverLine) + shape.slots * sizeof(Slot);
  pool_bytes_ = sizeof(PoolFlags) + uint64_t{shape.blocks} * shape.block_bytes;
  members_ = k_line_bytes;
  mailboxes_ = members_ + m * k_line_bytes;
  pools_ = mailboxes_ + m * (m - 1) * mailbox_bytes_;
  memory_ = pools_ + m * pool_bytes_;
  bytes_ = memory_ + shape.memory_bytes;
  bytes_ = (bytes_ + k_page_bytes - 1) / k_page_bytes * k_page_bytes;
}

void initialise(std::byte* base, const RegionLayout& layout) {
  const uint32_t m = layout.member_count();
  const uint32_t start = layout.shape().counter_start;
  for (uint32_t i = 0; i < m; ++i) (new (base + layout.member(i)) MemberLine{})->ended = start;
  const uint32_t slots = layout.shape().slots;
  for (uint32_t from = 0; from < m; ++from) {
    new (base + layout.pool(from)) PoolFlags{};
    for (uint32_t to = 0; to < m; ++to) {
      if (to == from) continue;
      std::byte* at = base + layout.mailbox(from, to);
      (new (at) SenderLine{})->chunks_posted = start;
      auto* receiver = new (at + sizeof(SenderLine)) ReceiverLine{};
      receiver->consumed = start;
      receiver->chunks_taken = start;
      at += sizeof(SenderLine) + sizeof(ReceiverLine);
      for (uint32_t message = start; message != start + slots; ++message) {
        auto* slot = new (at + message % slots * sizeof(Slot)) Slot;  // its bytes need no initial value
        slot->turn = message + 1 - slots;
        slot->pull = 0;
      }
    }
  }
}

}  // namespace tutti::node
