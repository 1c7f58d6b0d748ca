#pragma once
// The part of the arena that belongs to one communicator: mailboxes, staging blocks, counters and the
// memory for schedules.

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.hpp"
#include "node/arena.hpp"
#include "node/region_layout.hpp"
#include "schedule/task.hpp"

namespace tutti::node {

using schedule::Rank;

/// Identifies a region within the arena of a node.
struct RegionKey {
  uint32_t communicator = 0;  // id agreed by the ranks of the communicator
  /// World ranks of the communicator's ranks on this node, in the same order on all of them; at least two.
  /// They are part of the key because one id may be in use for disjoint groups, and for a new group before
  /// slow members of an old one have released it.
  std::span<const Rank> members;
};

/// This rank as a member of the region.
struct Member {
  uint32_t index = 0;    // position in RegionKey::members
  uint32_t process = 0;  // number in the arena, see OneCopy
};

/// One rank's handle of a region, or of a refused one. The destructor releases it.
///
/// Every member acquires once and releases once. The first member to acquire allocates; the outcome is
/// recorded, so that all members get the same result. The memory, or the record of a refusal, is freed when
/// all members have released it. Regions become smaller as the arena fills: the parts of a region shrink
/// until it takes at most 1/16 of the free memory or has the smallest shape (region_layout.hpp); it is
/// refused if not even this fits.
class Region {
 public:
  /// Never waits for another member, except for the short critical section of the arena. `wanted` of the
  /// first member to acquire is used.
  static Region acquire(const Arena& arena, const RegionKey& key, Member me, const RegionShape& wanted = {});

  Region() = default;
  Region(Region&& other) noexcept { *this = std::move(other); }
  Region& operator=(Region&& other) noexcept;
  ~Region() { release(); }

  /// ok, or the reason why there is no region: out_of_memory, invalid_argument, internal (a process died in
  /// the critical section; from then on the arena refuses all requests).
  const base::Status& status() const { return status_; }
  /// Releases the region, which must no longer be in use. Does nothing in a forked child: the parent still
  /// holds it.
  void release();

  uint32_t member_count() const { return layout_.member_count(); }
  Member me() const { return me_; }
  const RegionLayout& layout() const { return layout_; }
  std::byte* base() const { return base_; }

 private:
  const Arena* arena_ = nullptr;
  uint32_t entry_ = UINT32_MAX;  // index in the arena's table; UINT32_MAX: nothing to release
  int pid_ = 0;                  // of the process that acquired
  Member me_;
  RegionLayout layout_;
  std::byte* base_ = nullptr;
  base::Status status_{base::Code::invalid_argument, "region: none acquired"};
};

}  // namespace tutti::node
