#pragma once
// Accessors for the lines of a region (region_lines.hpp): mailboxes, staging blocks, members. Private to
// src/node.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "node/region.hpp"
#include "node/region_lines.hpp"

namespace tutti::node {

/// True when counter a has reached b, for counters less than 2^31 apart.
constexpr bool has_reached(uint32_t a, uint32_t b) {
  return static_cast<int32_t>(a - b) >= 0;
}

/// The mailbox from one member to another.
class SharedMailbox {
 public:
  SharedMailbox(const Region& region, uint32_t from, uint32_t to)
      : at_(region.base() + region.layout().mailbox(from, to)),
        slot_mask_(region.layout().shape().slots - 1) {}

  SenderLine& sender() const { return *reinterpret_cast<SenderLine*>(at_); }
  ReceiverLine& receiver() const { return *reinterpret_cast<ReceiverLine*>(at_ + sizeof(SenderLine)); }
  Slot& slot(uint32_t message) const {
    return reinterpret_cast<Slot*>(at_ + sizeof(SenderLine) + sizeof(ReceiverLine))[message & slot_mask_];
  }
  uint32_t slot_count() const { return slot_mask_ + 1; }

 private:
  std::byte* at_;
  uint32_t slot_mask_;
};

/// The staging blocks of one sender.
class Pool {
 public:
  Pool(const Region& region, uint32_t sender)
      : at_(region.base() + region.layout().pool(sender)),
        count_(region.layout().shape().blocks),
        block_bytes_(region.layout().shape().block_bytes) {}

  uint32_t block_bytes() const { return block_bytes_; }
  std::byte* block(uint32_t index) const { return at_ + sizeof(PoolFlags) + uint64_t{index} * block_bytes_; }

  /// For the sender: marks a free block busy and returns it, if more than `spare` are free.
  std::optional<uint32_t> take(uint32_t spare) const {
    uint32_t free_count = 0, last = 0;
    for (uint32_t i = 0; i < count_ && free_count <= spare; ++i) {
      if (flags().busy[i].load(std::memory_order_acquire) == 0) ++free_count, last = i;
    }
    if (free_count <= spare) return std::nullopt;
    flags().busy[last].store(1, std::memory_order_relaxed);
    return last;
  }
  /// For the receiver of a block: marks it free.
  void give_back(uint32_t index) const { flags().busy[index].store(0, std::memory_order_release); }

 private:
  PoolFlags& flags() const { return *reinterpret_cast<PoolFlags*>(at_); }

  std::byte* at_;
  uint32_t count_;
  uint32_t block_bytes_;
};

inline MemberLine& member_line(const Region& region, uint32_t member) {
  return *reinterpret_cast<MemberLine*>(region.base() + region.layout().member(member));
}

}  // namespace tutti::node
