#pragma once
// Memory of a fixed size for the records of one process.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.hpp"
#include "record/call_record.hpp"

namespace tutti::record {

/// Any thread writes, without locks; reading while others write may find a record half old, half new, but not where the
/// reader looks for a word 1 that the writer has put there: that is written last and read first.
class Ring {
 public:
  /// Place of a record; k_none: there was none left.
  using Ticket = uint64_t;
  static constexpr Ticket k_none = UINT64_MAX;

  /// Memory is taken from the system as it is first written. `keeps_newest`: a full ring forgets the oldest records;
  /// otherwise it takes no more. Error: out_of_memory.
  static base::Result<std::unique_ptr<Ring>> make(uint64_t bytes, bool keeps_newest);
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  Ticket take() {
    const uint64_t ticket = next_.fetch_add(1, std::memory_order_relaxed);
    return ticket < capacity_ || keeps_newest_ ? ticket : k_none;
  }
  void write(Ticket ticket, const PackedRecord& record) {
    Slot& slot = slots_[ticket % capacity_];
    for (const size_t word : {0, 2, 3}) slot.words[word].store(record.words[word], std::memory_order_relaxed);
    slot.words[1].store(record.words[1], std::memory_order_release);
  }
  PackedRecord read(Ticket ticket) const {
    const Slot& slot = slots_[ticket % capacity_];
    PackedRecord record{};
    record.words[1] = slot.words[1].load(std::memory_order_acquire);
    for (const size_t word : {0, 2, 3}) record.words[word] = slot.words[word].load(std::memory_order_relaxed);
    return record;
  }
  /// The place still belongs to this ticket: no later one has overwritten it.
  bool has(Ticket ticket) const {
    return ticket != k_none && next_.load(std::memory_order_relaxed) - ticket <= capacity_;
  }

  uint64_t taken() const { return next_.load(std::memory_order_relaxed); }
  /// The tickets that are there: from first() on, below end().
  Ticket first() const { return keeps_newest_ && taken() > capacity_ ? taken() - capacity_ : 0; }
  Ticket end() const { return keeps_newest_ || taken() < capacity_ ? taken() : capacity_; }

 private:
  struct Slot {
    std::atomic<uint64_t> words[4];
  };
  Ring(Slot* slots, uint64_t capacity, bool keeps_newest)
      : slots_(slots), capacity_(capacity), keeps_newest_(keeps_newest) {}

  Slot* const slots_;
  const uint64_t capacity_;  // a power of two
  const bool keeps_newest_;
  alignas(64) std::atomic<uint64_t> next_{0};
};

}  // namespace tutti::record
