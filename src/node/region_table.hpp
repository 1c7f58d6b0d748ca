#pragma once
// The arena's table of regions and its pages. Private to src/node; the caller holds the ArenaLock.

#include <cstdint>

#include "node/arena_control.hpp"
#include "node/region.hpp"

namespace tutti::node {

class RegionTable {
 public:
  explicit RegionTable(const Arena& arena) : arena_(arena), control_(arena.control()) {}

  RegionEntry& entry(uint32_t index) const {
    return reinterpret_cast<RegionEntry*>(arena_.at(control_.entries))[index];
  }
  std::byte* memory(const RegionEntry& entry) const {
    return arena_.at(control_.pages + uint64_t{entry.first_page} * k_page_bytes);
  }

  /// k_no_entry if there is none.
  uint32_t find(const RegionKey& key) const;
  /// Adds an entry for the key and allocates its pages, or records that there are none (page_count 0).
  /// k_no_entry if the table is full, or has been before.
  uint32_t add(const RegionKey& key, const RegionShape& wanted);
  void remove(uint32_t index);

 private:
  uint32_t& bucket(uint64_t members_hash, uint32_t communicator) const;
  void allocate(RegionEntry& entry, const RegionShape& wanted);
  /// First fit; false if no run of free pages is long enough.
  bool take_pages(RegionEntry& entry, uint32_t page_count);

  const Arena& arena_;
  ArenaControl& control_;
};

}  // namespace tutti::node
