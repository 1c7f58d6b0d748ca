#include "node/region.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "base/text.hpp"
#include "node/arena_control.hpp"
#include "node/region_lines.hpp"
#include "node/region_table.hpp"

namespace tutti::node {
namespace {

using base::Code;
using base::Status;

Status check(const Arena& arena, const RegionKey& key, Member me, const RegionShape& wanted) {
  const auto member_count = static_cast<uint32_t>(key.members.size());
  if (Status fits = check(wanted, member_count); !fits) return fits;
  if (me.index >= member_count || me.process >= arena.process_count()) {
    return Status::invalid_argument(fmt::format("region: member {} of {}, process {} of {}", me.index,
                                                member_count, me.process, arena.process_count()));
  }
  return {};
}

Status refused(uint64_t bytes, const Arena& arena) {
  return {
      Code::out_of_memory,
      fmt::format("shared memory: no room for {} ({} of {} free, {} regions); ask for more per node, or free "
                  "communicators; this one uses the network inside the node",
                  base::format_bytes(bytes), base::format_bytes(arena.free_bytes()),
                  base::format_bytes(arena.bytes()), arena.region_count())};
}

}  // namespace

Region Region::acquire(const Arena& arena, const RegionKey& key, Member me, const RegionShape& wanted) {
  Region region;
  region.status_ = check(arena, key, me, wanted);
  if (!region.status_) return region;
  const ArenaLock lock(arena.control());
  region.status_ = lock.status();
  if (!region.status_) return region;

  RegionTable table(arena);
  uint32_t index = table.find(key);
  const bool is_first = index == k_no_entry;
  if (is_first) index = table.add(key, wanted);
  if (index == k_no_entry) {
    region.status_ = {Code::out_of_memory,
                      fmt::format("shared memory: the table of regions has been full ({} live "
                                  "now); no new ones are given out",
                                  arena.region_count())};
    return region;
  }
  RegionEntry& entry = table.entry(index);
  if (entry.arrived == entry.member_count) {
    region.status_ = Status::internal(
        fmt::format("region of communicator {}: acquired more often than it has members", key.communicator));
    return region;
  }
  ++entry.arrived;
  region.arena_ = &arena;
  region.entry_ = index;
  region.pid_ = getpid();
  region.me_ = me;
  region.layout_ = RegionLayout(entry.shape, entry.member_count);
  if (entry.page_count == 0) {
    region.status_ = refused(entry.refused_bytes, arena);
    return region;
  }
  region.base_ = table.memory(entry);
  if (is_first) initialise(region.base_, region.layout_);
  reinterpret_cast<MemberLine*>(region.base_ + region.layout_.member(me.index))->process = me.process;
  return region;
}

Region& Region::operator=(Region&& other) noexcept {
  if (this == &other) return *this;
  release();
  arena_ = other.arena_;
  entry_ = std::exchange(other.entry_, k_no_entry);
  pid_ = other.pid_;
  me_ = other.me_;
  layout_ = other.layout_;
  base_ = std::exchange(other.base_, nullptr);
  status_ = std::exchange(other.status_, Status{Code::invalid_argument, "region: moved elsewhere"});
  return *this;
}

void Region::release() {
  const uint32_t index = std::exchange(entry_, k_no_entry);
  base_ = nullptr;
  if (index == k_no_entry || pid_ != getpid()) return;
  status_ = {Code::invalid_argument, "region: released"};
  const ArenaLock lock(arena_->control());
  if (!lock.status()) return;  // a broken arena grants no regions, so nothing need be returned
  RegionTable table(*arena_);
  RegionEntry& entry = table.entry(index);
  if (++entry.left == entry.member_count) table.remove(index);
}

}  // namespace tutti::node
