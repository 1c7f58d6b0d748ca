#pragma once
// Ring buffer of fixed size for the records of one process. It may be mapped from a file, whose contents outlive the
// process however that ends.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/status.hpp"
#include "record/call_record.hpp"
#include "record/live_file.hpp"

namespace tutti::record {

/// Any thread writes, without locks. A concurrent reader may see a mixture of an old and a new record, but not if it
/// checks for a value of word 1 that the writer has stored: that word is written last and read first.
class Ring {
 public:
  /// Number of a record; k_none: the ring is full.
  using Ticket = uint64_t;
  static constexpr Ticket k_none = UINT64_MAX;

  struct Slot {
    std::atomic<uint64_t> words[4];
  };

  /// Size of the header in front of the records.
  static constexpr size_t k_head_bytes = 4096;
  /// Maximum number of calls that threads are in at the same time.
  static constexpr size_t k_cells = 32;
  struct Head {
    char magic[8];
    uint32_t version;
    uint32_t keeps_newest;
    uint64_t capacity;                       // records
    alignas(64) std::atomic<uint64_t> next;  // records that have been begun
    alignas(64) Slot cells[k_cells];         // calls that get a record only when they end; k_void_row: free
  };

  /// Memory is allocated by the system on first write. `keeps_newest`: a full ring overwrites the oldest records;
  /// otherwise it accepts no more. `file`: an empty file that stores the records as far as it has room, and that
  /// outlives the ring; nullptr: none. Error: out_of_memory.
  static base::Result<std::unique_ptr<Ring>> make(uint64_t bytes, bool keeps_newest, LiveFile* file);
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  /// Number of bytes of the file that belong to the ring; 0: there is no file.
  uint64_t file_bytes() const { return file_ == nullptr ? 0 : bytes(); }

  Ticket take() {
    const uint64_t ticket = head_->next.fetch_add(1, std::memory_order_relaxed);
    if (ticket >= ready_.load(std::memory_order_acquire)) make_ready(ticket);
    return ticket < capacity_ || keeps_newest_ ? ticket : k_none;
  }
  void write(Ticket ticket, const PackedRecord& record) { put(slots_[ticket % capacity_], record); }
  PackedRecord read(Ticket ticket) const { return get(slots_[ticket % capacity_]); }

  /// Stores a call that a thread has entered. Result: for close(); k_cells: there was no free cell.
  size_t open(const PackedRecord& record);
  void close(size_t cell);
  /// The calls in `head` that threads are in.
  static std::vector<PackedRecord> open_calls(const Head& head);
  std::vector<PackedRecord> open_calls() const { return open_calls(*head_); }

  /// Whether the record of this ticket has not been overwritten by a later one.
  bool has(Ticket ticket) const { return ticket != k_none && taken() - ticket <= capacity_; }

  uint64_t taken() const { return head_->next.load(std::memory_order_relaxed); }
  /// The tickets whose records are stored: [first(), end()).
  Ticket first() const { return keeps_newest_ && taken() > capacity_ ? taken() - capacity_ : 0; }
  Ticket end() const { return keeps_newest_ || taken() < capacity_ ? taken() : capacity_; }

 private:
  static void put(Slot& slot, const PackedRecord& record) {
    for (const size_t word : {0, 2, 3}) slot.words[word].store(record.words[word], std::memory_order_relaxed);
    slot.words[1].store(record.words[1], std::memory_order_release);
  }
  static PackedRecord get(const Slot& slot) {
    PackedRecord record{};
    record.words[1] = slot.words[1].load(std::memory_order_acquire);
    for (const size_t word : {0, 2, 3}) record.words[word] = slot.words[word].load(std::memory_order_relaxed);
    return record;
  }
  Ring(void* memory, uint64_t capacity, bool keeps_newest, LiveFile* file);
  size_t bytes() const { return k_head_bytes + capacity_ * sizeof(Slot); }
  void make_ready(Ticket ticket);

  Head* const head_;
  Slot* const slots_;
  const uint64_t capacity_;  // a power of two
  const bool keeps_newest_;
  LiveFile* const file_;  // nullptr: none
  std::mutex mutex_;
  /// Disk space is reserved for all tickets below this. A write to an unreserved part of the file would kill the
  /// process if the disk is full.
  std::atomic<uint64_t> ready_;
  std::atomic<uint32_t> used_cells_{0};  // bit mask
};

}  // namespace tutti::record
