#pragma once
// The routing of all groups of a fabric: trees, their colours, and the hop table. Each step of paper 004,
// section 3, and each improvement is a pass over it, with its own constants in its own file. Passes read the
// routing and change it only by the operations below.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/status.hpp"
#include "fabric/forest.hpp"
#include "fabric/hop_table.hpp"
#include "fabric/root_search.hpp"
#include "fabric/router_options.hpp"

namespace tutti::fabric {

/// A tree may be this much higher than necessary if that improves its load or colour.
inline constexpr uint32_t k_most_extra_hops = 2;

/// Groups that are routed as one: a new group, or all that share a tree.
struct Unit {
  std::vector<GroupId> groups;
  std::vector<SwitchId> terminals;  // the switches of their members, ascending
};

/// A tree names exactly the groups that name it. Stays at its address, because passes refer to it.
class Routing {
 public:
  struct Group {
    std::vector<HostId> members;  // ascending, without duplicates
    TreeId tree = k_none;
    bool exists = false;
    Colour lost_colour = k_no_colour;  // of a group that is cut off: the colour announced to it
  };
  /// All trees at one time, to restore them later.
  struct Trees {
    Forest forest;
    RouterCounts counts;
  };

  Routing(Fabric fabric, HopTable hops, const RouterOptions& options);
  Routing(Routing&&) = delete;

  const Fabric& fabric() const { return fabric_; }
  const HopTable& hops() const { return hops_; }
  const RouterOptions& options() const { return options_; }
  const Forest& forest() const { return forest_; }
  const ColourSets& colours() const { return forest_.colours(); }
  const std::vector<Group>& groups() const { return groups_; }
  const RouterCounts& counts() const { return counts_; }
  RouterCounts& counts() { return counts_; }
  size_t memory_bytes() const;

  // --- groups ---
  /// Errors: invalid_argument: no member, a member without a cable, members that no switch reaches.
  base::Status check_members(std::span<const HostId> members) const;
  GroupId add_group(std::vector<HostId> members);
  /// Also removes the branches that no other group of its tree needs.
  void remove_group(GroupId id);
  void set_members(GroupId id, std::vector<HostId> members);
  /// Remembers the colour of a group that has no tree.
  void cut_off(GroupId id, Colour colour) { groups_[id].lost_colour = colour; }
  /// k_no_colour for a group without a tree.
  Colour colour_of(GroupId id) const;
  std::vector<SwitchId> terminals_of(std::span<const GroupId> ids) const;
  /// In a disconnected fabric a unit belongs to the part of its first member that has a cable; members elsewhere
  /// are cut off.
  Unit unit_of(std::vector<GroupId> ids) const;

  // --- trees, as in Forest ---
  TreeId plant(TreeShape shape, Colour colour, std::vector<GroupId> ids);
  Tree fell(TreeId id);
  void share(TreeId id, GroupId group);
  void reshape(TreeId id, TreeShape shape) { forest_.reshape(id, std::move(shape)); }
  /// Removes the branches that none of the tree's groups needs (section 3.3.3, algorithm 6). After failures that can
  /// be the whole tree: its groups are then cut off.
  void prune(TreeId id);
  Colour open_colour() { return forest_.open_colour(); }
  void close_colour() { forest_.close_colour(); }

  // --- roots and random choices ---
  /// As RootSearch::find().
  Hops find_roots(std::span<const SwitchId> terminals, std::vector<SwitchId>& roots) {
    return root_search_.find(terminals, roots);
  }
  /// Finds roots and keeps the `most` least loaded ones.
  Hops find_roots(std::span<const SwitchId> terminals, size_t most, uint64_t salt,
                  std::vector<SwitchId>& roots);
  /// Sorts by load (paper 004, section 3.1.1), equal loads in random order, and keeps at most `most` roots.
  void sort_by_load(std::vector<SwitchId>& roots, size_t most, uint64_t salt) const;
  /// Seed of the random choices of this turn. A turn routes one unit.
  uint64_t salt() const { return base::mixed(options_.seed ^ turn_); }
  /// Begins a turn and returns its salt.
  uint64_t next_turn() {
    ++turn_;
    return salt();
  }

  // --- all at once ---
  Trees trees() const { return {forest_, counts_}; }
  void restore(Trees trees);
  /// Removes all trees and colours, and counts from 0.
  void reset();
  /// reset() that also removes all groups.
  void clear();
  /// Takes over the groups, counters and open colours of another routing, without its trees. For a new routing.
  void inherit(const Routing& old);
  /// Takes a switch out of service. Errors: as HopTable::compute().
  base::Status disconnect(SwitchId id);

 private:
  Fabric fabric_;
  HopTable hops_;
  RouterOptions options_;
  Forest forest_;
  RootSearch root_search_;
  std::vector<Group> groups_;
  std::vector<GroupId> unused_groups_;
  RouterCounts counts_;
  uint64_t turn_ = 0;
};

}  // namespace tutti::fabric
