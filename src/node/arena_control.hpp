#pragma once
// The control structures at the start of an arena: the processes, the table of regions, and the map of used
// pages. Private to src/node. Only the holder of `mutex` (ArenaLock) writes the members below it.

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "node/region_layout.hpp"

namespace tutti::node {

static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint8_t>::is_always_lock_free,
              "processes can share lock-free atomics only");

inline constexpr uint32_t k_no_entry = UINT32_MAX;

/// One rank of the job on this node; the rank itself writes it, in OneCopy::announce() and OneCopy's
/// constructor.
struct alignas(64) ProcessRecord {
  std::atomic<uint32_t> published;
  std::atomic<int32_t> pid;  // stored first, by OneCopy::announce()
  uint64_t probe_address;
  uint64_t probe_value;
};

struct RegionEntry {
  uint64_t members_hash;
  uint32_t communicator;
  int32_t leader;  // world rank of the first member
  uint32_t member_count;
  uint32_t arrived, left;           // members that have acquired, released
  uint32_t first_page, page_count;  // page_count 0: refused
  uint32_t next;                    // index of the next entry in the bucket or in the list of free entries
  uint64_t refused_bytes;           // size of the last (smallest) shape tried, which did not fit
  RegionShape shape;
};

struct ArenaControl {
  /// "tutti-n2"; the last digit is the version of the layout.
  static constexpr uint64_t k_magic = 0x7475'7474'692d'6e32;
  static constexpr uint32_t k_bucket_count = 1024;

  std::atomic<uint64_t> magic;  // stored last
  uint64_t bytes;
  uint32_t process_count;
  uint32_t page_count;                           // pages after the control part
  uint64_t processes, entries, page_map, pages;  // offsets

  pthread_mutex_t mutex;
  bool broken;  // a holder of the mutex died: the table may be inconsistent
  bool closed;  // the table has been full: no more entries, so that all members get the same result
  uint32_t free_entry;
  std::atomic<uint32_t> free_page_count;
  std::atomic<uint32_t> region_count;
  uint32_t buckets[k_bucket_count];
};

/// Holds the arena's mutex, which is robust: when a holder dies, the next one is notified and the arena stays
/// broken.
class ArenaLock {
 public:
  explicit ArenaLock(ArenaControl& control);
  ~ArenaLock();
  ArenaLock(const ArenaLock&) = delete;
  ArenaLock& operator=(const ArenaLock&) = delete;

  /// internal if the arena is broken.
  const base::Status& status() const { return status_; }

 private:
  ArenaControl& control_;
  base::Status status_;
};

/// Lays out and initialises the control part of a fresh, zeroed arena.
base::Status initialise(std::byte* base, uint64_t bytes, uint32_t process_count);

}  // namespace tutti::node
