#pragma once
// The state that the members of a node and the agent of their communicator share: a ring of pending
// operations.
//
// The life of one operation, number `sequence`, in entry sequence % k_entries:
//
//   free        turn == sequence                     set by the agent
//   described   described == sequence + 1            by the first member to arrive, or by the agent after an
//                                                    announcement of another node
//   deposited   deposited == Layout::deposit_count() each depositing member adds one when its bytes are in the area
//   done        done == sequence + 1                 by the agent: the result is in the area
//   left        left == members                      each member adds one when it no longer reads the entry
//   free        turn == sequence + k_entries         by the agent, which no longer uses the entry
//
// Memory order: bytes and plain members are written before the atomic that publishes them (release), and read
// after it (acquire). Sequence numbers have 32 bits and wrap.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "agent/description.hpp"

namespace tutti::agent {

struct alignas(64) BoardHeader {
  std::atomic<uint32_t> closed;  // number of members that have made their last call
};

struct alignas(64) BoardEntry {
  std::atomic<uint32_t> turn;
  std::atomic<uint32_t> claimed;    // sequence + 1: a process describes it, or has described it
  std::atomic<uint32_t> described;  // sequence + 1
  Description description;
  alignas(64) std::atomic<uint32_t> deposited;
  std::atomic<uint32_t> left;
  alignas(64) std::atomic<uint32_t> done;  // sequence + 1
  std::atomic<int32_t> error;              // base::Code of the operation
};

/// A view of shared memory; any number of views, in any process. The memory must outlive it.
class Board {
 public:
  /// Maximum number of operations that a member can be ahead of the slowest member of its node.
  static constexpr uint32_t k_entries = 16;
  static constexpr uint64_t k_line_bytes = 64;
  /// Default size of a communicator's board, if there is enough node memory.
  static constexpr uint64_t k_usual_bytes = uint64_t{1} << 20;
  /// Bytes of a board in addition to the areas.
  static constexpr uint64_t k_fixed_bytes = sizeof(BoardHeader) + k_entries * sizeof(BoardEntry);

  /// Bytes of node memory that one operation gets in a board of `bytes`; 0: the board is too small.
  static uint64_t area_bytes(uint64_t bytes);

  Board() = default;
  explicit Board(std::span<std::byte> memory) : memory_(memory) {}

  /// Initialises the memory; once, before any other use. `first`: the first sequence number.
  void initialise(uint32_t first = 0) const;

  uint64_t area_bytes() const { return area_bytes(memory_.size()); }
  BoardEntry& entry(uint32_t sequence) const {
    return reinterpret_cast<BoardEntry*>(memory_.data() + sizeof(BoardHeader))[sequence % k_entries];
  }
  std::byte* area(uint32_t sequence) const {
    return memory_.data() + k_fixed_bytes + sequence % k_entries * area_bytes();
  }

  /// A member makes no more calls, and no longer accesses the board.
  void close() const { header().closed.fetch_add(1, std::memory_order_release); }
  uint32_t closed() const { return header().closed.load(std::memory_order_acquire); }

  bool is_free_for(uint32_t sequence) const {
    return entry(sequence).turn.load(std::memory_order_acquire) == sequence;
  }
  /// Describes an operation whose entry is free for it, unless already described. True if this call described
  /// it.
  bool describe(uint32_t sequence, const Description& description) const;
  bool is_described(uint32_t sequence) const {
    return entry(sequence).described.load(std::memory_order_acquire) == sequence + 1;
  }
  bool is_done(uint32_t sequence) const {
    return entry(sequence).done.load(std::memory_order_acquire) == sequence + 1;
  }

 private:
  BoardHeader& header() const { return *reinterpret_cast<BoardHeader*>(memory_.data()); }

  std::span<std::byte> memory_;
};

}  // namespace tutti::agent
