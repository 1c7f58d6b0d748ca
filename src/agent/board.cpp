#include "agent/board.hpp"

#include <new>

namespace tutti::agent {

uint64_t Board::area_bytes(uint64_t bytes) {
  return bytes <= k_fixed_bytes ? 0 : (bytes - k_fixed_bytes) / k_entries / k_line_bytes * k_line_bytes;
}

void Board::initialise(uint32_t first) const {
  new (memory_.data()) BoardHeader{};
  for (uint32_t sequence = first; sequence != first + k_entries; ++sequence) {
    BoardEntry* const one = new (&entry(sequence)) BoardEntry{};
    one->claimed = one->described = one->done = sequence;
    one->turn.store(sequence, std::memory_order_release);
  }
}

bool Board::describe(uint32_t sequence, const Description& description) const {
  BoardEntry& one = entry(sequence);
  uint32_t expected = one.claimed.load(std::memory_order_relaxed);
  if (expected == sequence + 1) return false;
  if (!one.claimed.compare_exchange_strong(expected, sequence + 1, std::memory_order_acq_rel)) return false;
  one.description = description;
  one.described.store(sequence + 1, std::memory_order_release);
  return true;
}

}  // namespace tutti::agent
