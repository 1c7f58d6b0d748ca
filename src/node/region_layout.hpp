#pragma once
// The offsets of the parts of a region, and its size. For m members of a node
//
//   bytes = 64 · (1 + m)                      header; a line per member: its process, its ended operations
//         + m · (m-1) · (128 + 256 · slots)   mailbox per ordered pair: two lines of counters, slots
//         + m · (64 + blocks · block_bytes)   staging pool of each sender: a line of flags and the blocks
//         + memory_bytes                      Slot::node of schedules, two halves
//
// rounded up to pages of 4 KiB. With the shapes of RegionShape and k_smallest_shape:
//
//   members                       2          8         64
//   default shape           324 KiB    580 KiB   6.7 MiB      (slots 4, blocks 4 × 8 KiB, memory 256 KiB)
//   smallest shape           28 KiB     88 KiB   2.7 MiB      (slots 2, blocks 4 × 1 KiB, memory 16 KiB)

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"

namespace tutti::node {

inline constexpr uint64_t k_page_bytes = 4096;

/// Sizes of the parts.
struct RegionShape {
  uint32_t slots = 4;                 // messages per mailbox, a power of two
  uint32_t blocks = 4;                // staging blocks per sender, 3 to 64
  uint32_t block_bytes = 8 << 10;     // longest message that the sender need not wait for; multiple of 64
  uint64_t memory_bytes = 256 << 10;  // a multiple of 128
  /// First value of every counter; tests start close to the wrap-around.
  uint32_t counter_start = 0;
};

inline constexpr RegionShape k_smallest_shape{
    .slots = 2, .blocks = 4, .block_bytes = 1 << 10, .memory_bytes = 16 << 10};

/// Errors: invalid_argument.
base::Status check(const RegionShape& shape, uint32_t member_count);

class RegionLayout {
 public:
  static constexpr uint64_t k_line_bytes = 64;
  static constexpr uint32_t k_max_members = 1024;
  static constexpr uint64_t k_max_memory_bytes = uint64_t{4} << 30;

  RegionLayout() = default;
  RegionLayout(const RegionShape& shape, uint32_t member_count);

  const RegionShape& shape() const { return shape_; }
  uint32_t member_count() const { return member_count_; }
  uint64_t bytes() const { return bytes_; }
  /// Slot::node memory that one operation may use.
  uint64_t operation_bytes() const { return shape_.memory_bytes / 2; }

  // Offsets from the start of the region.
  uint64_t member(uint32_t index) const { return members_ + index * k_line_bytes; }
  uint64_t mailbox(uint32_t from, uint32_t to) const {
    return mailboxes_ + mailbox_bytes_ * (from * (member_count_ - 1) + (to < from ? to : to - 1));
  }
  uint64_t pool(uint32_t sender) const { return pools_ + sender * pool_bytes_; }
  uint64_t memory(uint32_t half) const { return memory_ + half * operation_bytes(); }

 private:
  RegionShape shape_;
  uint32_t member_count_ = 0;
  uint64_t mailbox_bytes_ = 0, pool_bytes_ = 0;
  uint64_t members_ = 0, mailboxes_ = 0, pools_ = 0, memory_ = 0;
  uint64_t bytes_ = 0;
};

/// Initialises all shared data of a new region.
void initialise(std::byte* base, const RegionLayout& layout);

}  // namespace tutti::node
