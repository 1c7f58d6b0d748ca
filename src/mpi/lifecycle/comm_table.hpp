#pragma once
// From an MPI communicator handle to what Tutti keeps for it.

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "mpi/lifecycle/comm_id.hpp"

namespace tutti::mpi {

class Communicator;

/// Hash table of all communicators that Tutti serves. Reading takes no lock: a reader that meets a writer
/// tries again (a sequence lock). Asking the MPI for an attribute instead would cost its global lock, and
/// would call an error handler for handles that are not valid.
class CommTable {
 public:
  /// nullptr when unknown.
  Communicator* find(MPI_Comm comm) const;
  void insert(MPI_Comm comm, Communicator* communicator);
  /// Returns what was there, or nullptr.
  Communicator* erase(MPI_Comm comm);

  /// Any thread. No communicator goes meanwhile; `visit` neither adds nor takes one away.
  template <class Visit>
  void for_each(Visit visit) const {
    const std::lock_guard lock(writers_);
    for (const Slot& slot : slots_)
      if (Communicator* found = slot.communicator.load(std::memory_order_relaxed)) visit(found);
  }

 private:
  // Never more than half full, because every entry has an id of its own.
  static constexpr size_t k_slots = size_t{2} * k_comm_id_count;
  struct Slot {
    std::atomic<uint64_t> key{0};
    std::atomic<Communicator*> communicator{nullptr};  // nullptr: empty
  };
  size_t probe(uint64_t key) const;
  void begin_write();
  void end_write();

  mutable std::mutex writers_;
  std::atomic<uint32_t> version_{0};  // odd while somebody writes
  std::array<Slot, k_slots> slots_;
};

}  // namespace tutti::mpi
