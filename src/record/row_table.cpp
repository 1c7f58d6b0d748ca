#include "record/row_table.hpp"

namespace tutti::record {

namespace {

size_t hash_of(const RowKey& key) {
  uint64_t hash = reinterpret_cast<uintptr_t>(key.caller);
  for (const uint64_t part :
       {uint64_t{key.communicator} << 32 | key.stream,
        static_cast<uint64_t>(key.message) << 16 | static_cast<uint64_t>(key.collective) << 8 |
            static_cast<uint64_t>(key.interface),
        static_cast<uint64_t>(reinterpret_cast<uintptr_t>(key.choice.choice)),
        static_cast<uint64_t>(reinterpret_cast<uintptr_t>(key.choice.reason))})
    hash = (hash ^ part) * 0x9E3779B97F4A7C15u;
  return hash >> 32;
}

}  // namespace

/// The slot that holds the key, or the free one for it.
std::atomic<const RowTable::Entry*>& RowTable::slot_of(const RowKey& key) {
  for (size_t at = hash_of(key);; ++at) {
    std::atomic<const Entry*>& slot = slots_[at % k_slots];
    const Entry* const entry = slot.load(std::memory_order_acquire);
    if (entry == nullptr || entry->key == key) return slot;
  }
}

uint32_t RowTable::number_of(const RowKey& key) {
  const Entry* const entry = slot_of(key).load(std::memory_order_acquire);
  return entry != nullptr ? entry->number : insert(key);
}

uint32_t RowTable::insert(const RowKey& key) {
  const std::lock_guard lock(mutex_);
  std::atomic<const Entry*>& slot = slot_of(key);
  if (const Entry* const entry = slot.load(std::memory_order_acquire)) return entry->number;
  if (entries_.size() == k_most) return k_none;
  entries_.push_back(
      std::make_unique<const Entry>(Entry{.key = key, .number = static_cast<uint32_t>(entries_.size())}));
  on_new_(key);
  slot.store(entries_.back().get(), std::memory_order_release);
  return entries_.back()->number;
}

std::vector<RowKey> RowTable::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<RowKey> keys;
  keys.reserve(entries_.size());
  for (const auto& entry : entries_) keys.push_back(entry->key);
  return keys;
}

}  // namespace tutti::record
