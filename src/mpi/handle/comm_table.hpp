#pragma once
// Maps MPI communicator handles to Tutti's state for them.

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <thread>

#include "mpi/handle/comm_id.hpp"

namespace tutti::mpi {

class Communicator;

/// Hash table of all communicators that Tutti serves. Readers take no lock: a reader that meets a writer tries again (a
/// sequence lock). An attribute of the MPI would cost its global lock instead, and would call an error handler for
/// invalid handles.
class CommTable {
 public:
  /// nullptr when unknown.
  [[gnu::always_inline]] Communicator* find(MPI_Comm comm) const {
    for (;;) {
      const uint32_t before = version_.load(std::memory_order_acquire);
      if (before % 2 == 0) [[likely]] {
        Communicator* found = slots_[probe(key_of(comm))].communicator.load(std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_acquire);
        if (version_.load(std::memory_order_relaxed) == before) [[likely]]
          return found;
      }
      std::this_thread::yield();
    }
  }
  void insert(MPI_Comm comm, Communicator* communicator);
  /// Returns the erased value, or nullptr.
  Communicator* erase(MPI_Comm comm);

  /// Any thread. No communicator is erased meanwhile; `visit` must not insert or erase one.
  template <class Visit>
  void for_each(Visit visit) const {
    const std::lock_guard lock(writers_);
    for (const Slot& slot : slots_)
      if (Communicator* found = slot.communicator.load(std::memory_order_relaxed)) visit(found);
  }

 private:
  // Never more than half full, because every entry has a communicator number of its own.
  static constexpr size_t k_slots = size_t{2} * k_comm_id_count;
  struct Slot {
    std::atomic<uint64_t> key{0};
    std::atomic<Communicator*> communicator{nullptr};  // nullptr: empty
  };
  static uint64_t key_of(MPI_Comm comm) {
    uint64_t key = 0;
    std::memcpy(&key, &comm, sizeof comm);
    return key;
  }
  static size_t home_of(uint64_t key) {
    return static_cast<size_t>((key * 0x9E3779B97F4A7C15u) >> 40) % k_slots;
  }
  /// The slot of `key`, or the empty slot at which it would be inserted.
  size_t probe(uint64_t key) const {
    size_t at = home_of(key);
    for (size_t steps = 0; steps < k_slots; ++steps, at = (at + 1) % k_slots) {
      if (slots_[at].communicator.load(std::memory_order_relaxed) == nullptr) break;
      if (slots_[at].key.load(std::memory_order_relaxed) == key) break;
    }
    return at;
  }
  void begin_write();
  void end_write();

  mutable std::mutex writers_;
  std::atomic<uint32_t> version_{0};  // odd during a write
  std::array<Slot, k_slots> slots_;
};

}  // namespace tutti::mpi
