#pragma once
// The shared words and bytes of a region (region_layout.hpp). Private to this room.
//
// Ordering. Every structure below has one writer per cache line. A writer fills in plain members first and
// then stores an atomic with release order; the reader loads that atomic with acquire order before it looks
// at them. Giving back works the same way: the reader's release of `consumed` (or of a block) comes after its
// last look, and the writer acquires it before it writes again. All counters are 32 bits wide and wrap; only
// differences count.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "node/region.hpp"
#include "transport/endpoint.hpp"

namespace tutti::node {

/// True when counter a has reached b, for counters less than 2^31 apart.
constexpr bool has_reached(uint32_t a, uint32_t b) {
  return static_cast<int32_t>(a - b) >= 0;
}

inline constexpr uint32_t k_inline_bytes = 224;

/// One member of the region.
struct alignas(64) MemberLine {
  uint32_t process;             // number in the arena; written before the member sends anything
  std::atomic<uint32_t> ended;  // operations on the shared memory that it has ended
};

/// One message.
struct alignas(64) Slot {
  enum class Kind : uint16_t { in_slot, in_block, rendezvous };

  std::atomic<uint32_t> turn;  // message n is here when turn == n + 1
  transport::Tag tag;
  uint64_t length;
  uint64_t address;  // rendezvous: of the bytes, in the sender's address space
  Kind kind;
  uint16_t block;              // in_block
  std::atomic<uint32_t> pull;  // rendezvous: set by the receiver that cannot read the sender's memory
  std::byte bytes[k_inline_bytes];
};
static_assert(sizeof(Slot) == 256);

/// Chunks of the one message of this mailbox that is being pulled.
struct alignas(64) SenderLine {
  static constexpr uint32_t k_chunk_count = 4;
  static constexpr uint32_t k_in_slot = UINT32_MAX;

  struct Chunk {
    uint32_t block;  // k_in_slot: in the message's own slot
    uint32_t bytes;
  };
  std::atomic<uint32_t> chunks_posted;
  Chunk chunks[k_chunk_count];
};

struct alignas(64) ReceiverLine {
  std::atomic<uint32_t> consumed;  // messages
  std::atomic<uint32_t> chunks_taken;
};

struct alignas(64) PoolFlags {
  std::atomic<uint8_t> busy[64];  // set by the sender, cleared by whoever received the block
};

/// The mailbox from one member to another.
class Mailbox {
 public:
  Mailbox(const Region& region, uint32_t from, uint32_t to)
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
  static constexpr uint32_t k_max_blocks = 64;
  /// Blocks that short messages leave alone: these may lie there as long as their receivers are late, while
  /// chunks go to receivers that are waiting for them.
  static constexpr uint32_t k_reserved_for_chunks = 2;

  Pool(const Region& region, uint32_t sender)
      : at_(region.base() + region.layout().pool(sender)),
        count_(region.layout().shape().blocks),
        block_bytes_(region.layout().shape().block_bytes) {}

  uint32_t block_bytes() const { return block_bytes_; }
  std::byte* block(uint32_t index) const { return at_ + sizeof(PoolFlags) + uint64_t{index} * block_bytes_; }

  /// For the sender: a free block, which is busy from now on, if more than `spare` are free.
  std::optional<uint32_t> take(uint32_t spare) const {
    uint32_t free_count = 0, last = 0;
    for (uint32_t i = 0; i < count_ && free_count <= spare; ++i) {
      if (flags().busy[i].load(std::memory_order_acquire) == 0) ++free_count, last = i;
    }
    if (free_count <= spare) return std::nullopt;
    flags().busy[last].store(1, std::memory_order_relaxed);
    return last;
  }
  /// For the receiver of a block.
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

/// Gives every shared word of a fresh region its first value.
void initialise(std::byte* base, const RegionLayout& layout);

}  // namespace tutti::node
