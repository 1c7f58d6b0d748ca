#pragma once
// The groups of a subnet by MGID, the MLIDs announced for them, and their router. Independent of OpenSM.
//
// A colour of the router is bound to an MLID as long as a group uses it. Not every MLID is available: OpenSM
// assigns some to its own groups.
//
// Not thread-safe. A call that fails leaves no partial change.

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "base/status.hpp"
#include "fabric/groups.hpp"
#include "fabric/router.hpp"

namespace tutti::opensm {

using Mlid = uint16_t;  // host byte order, from 0xC000

class MulticastPlan {
 public:
  /// Errors: as fabric::Router::create().
  static base::Result<MulticastPlan> create(fabric::Fabric fabric, const fabric::RouterOptions& options);

  /// As fabric::Router::change_fabric().
  base::Status change_fabric(fabric::Fabric fabric);
  const fabric::Fabric& fabric() const { return router_.fabric(); }

  bool knows(const fabric::Mgid& mgid) const { return groups_.contains(mgid); }
  /// True if an MLID is bound to a colour.
  bool owns(Mlid mlid) const { return bindings_.contains(mlid); }
  /// The groups of a bound MLID.
  const std::set<fabric::Mgid>& groups_of(Mlid mlid) const { return bindings_.at(mlid).groups; }

  /// Routes a new group and returns the MLID to announce to its members. `free_mlid` returns an MLID that is
  /// used by no group and not bound, or 0. Errors: as fabric::Router::join(); out_of_memory: no MLID is free.
  using FreeMlid = std::function<Mlid()>;
  base::Result<Mlid> join(const fabric::Mgid& mgid, std::vector<fabric::HostId> members,
                          const FreeMlid& free_mlid);

  /// Adds a group that already has an MLID. Errors: as fabric::Router::join_in(); out_of_memory: no colour is
  /// left for the MLID.
  base::Status adopt(const fabric::Mgid& mgid, Mlid mlid, std::vector<fabric::HostId> members);

  /// Replaces the members of a known group; does nothing if they are the same.
  base::Status change(const fabric::Mgid& mgid, std::vector<fabric::HostId> members);

  /// Removes a group; does nothing if it is unknown. If it was the last group of its MLID, the MLID becomes
  /// free.
  void leave(const fabric::Mgid& mgid);

  /// Appends the table entries that switches must hold for a bound MLID.
  void append_ports(Mlid mlid, std::vector<fabric::TablePort>& ports) const;

  std::vector<fabric::Mgid> groups() const;
  size_t group_count() const { return groups_.size(); }
  size_t mlid_count() const { return bindings_.size(); }

 private:
  struct Group {
    fabric::GroupId id;
    Mlid mlid;
  };
  struct Binding {
    fabric::Colour colour;
    std::set<fabric::Mgid> groups;
  };

  explicit MulticastPlan(fabric::Router router) : router_(std::move(router)) {}
  fabric::Colour unbound_colour() const;

  fabric::Router router_;
  std::map<fabric::Mgid, Group> groups_;
  std::map<Mlid, Binding> bindings_;
  std::map<fabric::Colour, Mlid> mlid_of_colour_;
};

}  // namespace tutti::opensm
