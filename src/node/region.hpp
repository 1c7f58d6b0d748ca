#pragma once
// The part of the arena that belongs to one communicator: mailboxes, staging blocks, counters, request queue
// and the memory for schedules.

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.hpp"
#include "node/arena.hpp"
#include "node/region_layout.hpp"
#include "schedule/task.hpp"

namespace tutti::node {

using schedule::Rank;

/// Names a region within the arena of a node.
struct RegionKey {
  uint32_t communicator = 0;  // id agreed by the ranks of the communicator
  /// World ranks of the communicator's ranks on this node, the same order everywhere; at least two. They are
  /// part of the key: one id may be in use for disjoint groups, and for a new group before slow members of an
  /// old one have released it.
  std::span<const Rank> members;
};

/// This rank in it.
struct Member {
  uint32_t index = 0;    // position in RegionKey::members
  uint32_t process = 0;  // its number in the arena, see OneCopy
};

/// One rank's handle on a region, or on the refusal of one. Releases in its destructor.
///
/// Every member acquires once and releases once. The first to come allocates; whether that succeeded is
/// recorded, so all members get the same answer. The memory is free again when all members have released,
/// refusals included. Regions become smaller as the arena fills: a region takes at most 1/16 of what is free
/// by shrinking its parts down to the smallest shape (region_layout.hpp), and is refused when not even this
/// fits.
class Region {
 public:
  /// Never waits for another member; a short critical section of the arena. `wanted` counts for the first to
  /// come.
  static Region acquire(const Arena& arena, const RegionKey& key, Member me, const RegionShape& wanted = {});

  Region() = default;
  Region(Region&& other) noexcept { *this = std::move(other); }
  Region& operator=(Region&& other) noexcept;
  ~Region() { release(); }

  /// ok, or why there is no region: out_of_memory, invalid_argument, internal (a process died in the critical
  /// section; from then on the arena gives nothing).
  const base::Status& status() const { return status_; }
  /// Gives it back; nothing may use it any more. In a forked child it does nothing: the parent still holds
  /// it.
  void release();

  uint32_t member_count() const { return layout_.member_count(); }
  Member me() const { return me_; }
  const RegionLayout& layout() const { return layout_; }
  std::byte* base() const { return base_; }

 private:
  const Arena* arena_ = nullptr;
  uint32_t entry_ = UINT32_MAX;  // in the arena's table; UINT32_MAX: nothing to give back
  int pid_ = 0;                  // of the process that acquired
  Member me_;
  RegionLayout layout_;
  std::byte* base_ = nullptr;
  base::Status status_{base::Code::invalid_argument, "region: none acquired"};
};

}  // namespace tutti::node
