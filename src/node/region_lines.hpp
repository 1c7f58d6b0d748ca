#pragma once
// The words and bytes of a region that several processes read and write (region_layout.hpp says where they
// lie). Private to this room.
//
// Ordering. Every structure below has one writer per cache line, but for bells. A writer fills in plain
// members first and then stores an atomic with release order; the reader loads that atomic with acquire
// order before it looks at them. Giving back works the same way: the reader's release of `consumed` (or of
// a block) comes after its last look, and the writer acquires it before it writes again. All counters are
// 32 bits wide and wrap; only differences count.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "transport/endpoint.hpp"

namespace tutti::node {

inline constexpr uint32_t k_inline_bytes = 224;

/// One member of the region.
struct alignas(64) MemberLine {
  uint32_t process;             // number in the arena; written before the member sends anything
  std::atomic<uint32_t> ended;  // operations on the shared memory that it has ended
  std::atomic<uint32_t> bell;   // whether it sleeps (doorbell.hpp); the only word here that others write
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

/// What the receiver has taken out of a mailbox.
struct alignas(64) ReceiverLine {
  std::atomic<uint32_t> consumed;  // messages
  std::atomic<uint32_t> chunks_taken;
};

/// Which blocks of a sender's pool are in use.
struct alignas(64) PoolFlags {
  static constexpr uint32_t k_max_blocks = 64;
  /// Blocks that short messages leave alone: these may lie there as long as their receivers are late, while
  /// chunks go to receivers that are waiting for them.
  static constexpr uint32_t k_reserved_for_chunks = 2;

  std::atomic<uint8_t> busy[k_max_blocks];  // set by the sender, cleared by the receiver of the block
};

}  // namespace tutti::node
