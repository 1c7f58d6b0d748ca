#pragma once
// MR4LMS, multicast routing for limited forwarding tables (paper 004, section 3): groups join and leave, each
// gets a tree and a colour (its MLID), and no switch ever holds more than colour_limit entries.
//
// Use in a subnet manager: build a Fabric after a sweep; create a Router; collect the joins of a group (its
// colour depends on all members, and is sent with the first answer) and call join(); send k_first_mlid +
// colour(group) to every member. tables() returns the entries that the switches must hold; they change with
// every call that changes groups. Under MergeStrategy::keep the colour of a group never changes, and its
// existing paths stay; only branches are added. After a failure call disconnect(): only the groups that used
// the switch are routed again, with their old colour if possible. A router created again with the same
// fabric, options and sequence of calls produces the same tables.
//
// Not thread-safe. A call that fails leaves no partial change.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.hpp"
#include "fabric/forest.hpp"
#include "fabric/groups.hpp"
#include "fabric/router_options.hpp"
#include "fabric/tables.hpp"

namespace tutti::fabric {

class Router {
 public:
  /// Computes the hop table: seconds for 12,000 switches. Errors: invalid_argument: switches too far apart.
  static base::Result<Router> create(Fabric fabric, const RouterOptions& options);
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;
  ~Router();

  /// Routes one group. Errors: invalid_argument: no member, a member without a cable, members that no switch
  /// reaches.
  base::Result<GroupId> join(std::vector<HostId> members);

  /// Routes all groups of a set, none of which has been announced: the guided method may order and merge them
  /// as a whole. Group n of the set becomes GroupId n; only for a router without groups. Errors as join(),
  /// with the MGID; when stopped: not_supported, and the router has no groups.
  base::Status join_all(const GroupSet& groups, const RoutingProgress& progress = {});

  /// Removes a group and the branches that no other group of its tree needs (algorithm 6). The id may be
  /// reused. Errors: not_found.
  base::Status leave(GroupId group);

  /// Takes a switch out of service and reroutes the groups that used it. Members that are cut off stay
  /// members and get no packets. Returns the groups whose colour changed; they must be announced again.
  base::Result<std::vector<GroupId>> disconnect(SwitchId id);

  // The following calls keep colours, for a subnet manager: it cannot take back an MLID that it has
  // announced.

  /// Routes a group in a colour that was announced before. `colour`: an open one, or the next one, which is
  /// then opened. Trees of that colour that block the path are merged. Errors as join(), and out_of_memory
  /// when the colour is beyond the limit.
  base::Result<GroupId> join_in(Colour colour, std::vector<HostId> members);

  /// Replaces the members of a group. Its colour and the paths of remaining members do not change, unless
  /// trees of this colour have to be merged. Members that the first member cannot reach stay members and get
  /// no packets. Errors: not_found; invalid_argument: no member.
  base::Status change_members(GroupId group, std::vector<HostId> members);

  /// Moves all groups to a new version of the fabric: switches, hosts and cables are identified by their
  /// GUIDs and ports. Trees whose cables all still exist stay the same; the others are rebuilt in their
  /// colour. Members that no longer exist are removed. Computes a new hop table. Errors as create(); the
  /// router is then unchanged.
  base::Status change_fabric(Fabric fabric);

  /// Appends the table entries of all switches for one colour to `ports`, in no particular order.
  void append_ports(Colour colour, std::vector<TablePort>& ports) const;

  bool has(GroupId group) const;
  /// The colour of an existing group; k_no_colour when all its members are cut off.
  Colour colour(GroupId group) const;
  std::span<const HostId> members(GroupId group) const;
  MulticastTables tables() const;

  const Fabric& fabric() const;
  const Forest& forest() const;
  const RouterCounts& counts() const;
  /// Memory of the fabric, hop table, trees and groups.
  size_t memory_bytes() const;

 private:
  struct State;
  explicit Router(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace tutti::fabric
