#include "mpi/handle/comm_table.hpp"

namespace tutti::mpi {

void CommTable::begin_write() {
  version_.fetch_add(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
}

void CommTable::end_write() {
  version_.fetch_add(1, std::memory_order_release);
}

void CommTable::insert(MPI_Comm comm, Communicator* communicator) {
  const std::lock_guard lock(writers_);
  begin_write();
  Slot& slot = slots_[probe(key_of(comm))];
  slot.key.store(key_of(comm), std::memory_order_relaxed);
  slot.communicator.store(communicator, std::memory_order_relaxed);
  end_write();
}

Communicator* CommTable::erase(MPI_Comm comm) {
  const std::lock_guard lock(writers_);
  size_t hole = probe(key_of(comm));
  Communicator* const found = slots_[hole].communicator.load(std::memory_order_relaxed);
  if (found == nullptr) return nullptr;
  begin_write();
  // An entry after the hole moves into it if its search would otherwise stop there.
  for (size_t at = (hole + 1) % k_slots;; at = (at + 1) % k_slots) {
    Communicator* const other = slots_[at].communicator.load(std::memory_order_relaxed);
    if (other == nullptr) break;
    const uint64_t key = slots_[at].key.load(std::memory_order_relaxed);
    const size_t home = home_of(key);
    const size_t from_home_to_hole = (hole + k_slots - home) % k_slots;
    const size_t from_home_to_at = (at + k_slots - home) % k_slots;
    if (from_home_to_hole > from_home_to_at) continue;
    slots_[hole].key.store(key, std::memory_order_relaxed);
    slots_[hole].communicator.store(other, std::memory_order_relaxed);
    hole = at;
  }
  slots_[hole].communicator.store(nullptr, std::memory_order_relaxed);
  end_write();
  return found;
}

}  // namespace tutti::mpi
