#pragma once
// The data of a region that several processes read and write (offsets: region_layout.hpp). Private to
// src/node.
//
// Memory order. Every structure below has one writer per cache line, except for doorbells. A writer writes
// plain members first and then stores an atomic with release order; the reader loads that atomic with acquire
// order before it reads them. Returning memory works the same: the reader stores `consumed` (or the flag of a
// block) with release order after its last access, and the writer loads it with acquire order before it
// writes again. All counters are 32 bits wide and wrap; only differences are meaningful.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "transport/endpoint.hpp"

namespace tutti::node {

inline constexpr uint32_t k_inline_bytes = 224;

/// One member of the region.
struct alignas(64) MemberLine {
  uint32_t process;             // number in the arena; written before the member sends
  std::atomic<uint32_t> ended;  // number of operations on the shared memory that it has ended
  std::atomic<uint32_t> bell;   // whether it sleeps (doorbell.hpp); the only member here that others write
};

/// One message.
struct alignas(64) Slot {
  enum class Kind : uint16_t { in_slot, in_block, rendezvous };

  std::atomic<uint32_t> turn;  // message n is in this slot when turn == n + 1
  transport::Tag tag;
  uint64_t length;
  uint64_t address;  // rendezvous: address of the data in the sender's address space
  Kind kind;
  uint16_t block;              // in_block
  std::atomic<uint32_t> pull;  // rendezvous: set by the receiver that cannot read the sender's memory
  std::byte bytes[k_inline_bytes];
};
static_assert(sizeof(Slot) == 256);

/// Chunks of the message of this mailbox that is being pulled (at most one).
struct alignas(64) SenderLine {
  static constexpr uint32_t k_chunk_count = 4;
  static constexpr uint32_t k_in_slot = UINT32_MAX;

  struct Chunk {
    uint32_t block;  // k_in_slot: data in the message's own slot
    uint32_t bytes;
  };
  std::atomic<uint32_t> chunks_posted;
  Chunk chunks[k_chunk_count];
};

/// Progress of the receiver of a mailbox.
struct alignas(64) ReceiverLine {
  std::atomic<uint32_t> consumed;  // messages
  std::atomic<uint32_t> chunks_taken;
};

/// Marks the blocks of a sender's pool that are in use.
struct alignas(64) PoolFlags {
  static constexpr uint32_t k_max_blocks = 64;
  /// Blocks that short messages do not use: short messages may occupy blocks as long as their receivers are
  /// late, while chunks go to receivers that are waiting for them.
  static constexpr uint32_t k_reserved_for_chunks = 2;

  std::atomic<uint8_t> busy[k_max_blocks];  // set by the sender, cleared by the receiver of the block
};

}  // namespace tutti::node
