#pragma once
// What lies at the start of an arena: the processes, the table of regions, and which pages are taken.
// Private to this room. Everything below `mutex` is written only by its holder (ArenaLock).

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

/// One rank of the job on this node; written by itself in OneCopy's constructor.
struct alignas(64) ProcessRecord {
  std::atomic<uint32_t> published;
  std::atomic<int32_t> pid;  // announced before the rest
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
  uint32_t next;                    // in the bucket, or in the list of free entries
  uint64_t refused_bytes;           // what did not fit
  RegionShape shape;
};

struct ArenaControl {
  /// "tutti-n1"; the last digit is the layout's version.
  static constexpr uint64_t k_magic = 0x7475'7474'692d'6e31;
  static constexpr uint32_t k_bucket_count = 1024;

  std::atomic<uint64_t> magic;  // written last
  uint64_t bytes;
  uint32_t process_count;
  uint32_t page_count;                           // behind the control part
  uint64_t processes, entries, page_map, pages;  // offsets

  pthread_mutex_t mutex;
  bool broken;  // a holder of the mutex died: the table may be half written
  bool closed;  // the table has been full: no more entries, so that all members get the same answer
  uint32_t free_entry;
  std::atomic<uint32_t> free_page_count;
  std::atomic<uint32_t> region_count;
  uint32_t buckets[k_bucket_count];
};

/// Holds the arena's mutex. Robust: when a holder dies the next one learns it and the arena is broken for
/// good.
class ArenaLock {
 public:
  explicit ArenaLock(ArenaControl& control);
  ~ArenaLock();
  ArenaLock(const ArenaLock&) = delete;
  ArenaLock& operator=(const ArenaLock&) = delete;

  /// internal when the arena is broken.
  const base::Status& status() const { return status_; }

 private:
  ArenaControl& control_;
  base::Status status_;
};

/// Lays out and initialises the control part of a fresh, zeroed arena.
base::Status initialise(std::byte* base, uint64_t bytes, uint32_t process_count);

}  // namespace tutti::node
