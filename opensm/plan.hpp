#pragma once
// The groups of a subnet by MGID, the MLIDs that they were told, and the router behind them. Knows nothing of
// OpenSM.
//
// A colour of the router is bound to an MLID as long as a group uses it. Not every MLID is free for it:
// OpenSM gives some to groups of its own.
//
// Not for several threads at once. No call leaves a half-made change behind when it fails.

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
  /// Whether an MLID is bound to a colour.
  bool owns(Mlid mlid) const { return bindings_.contains(mlid); }
  /// The groups of an MLID that is bound.
  const std::set<fabric::Mgid>& groups_of(Mlid mlid) const { return bindings_.at(mlid).groups; }

  /// Routes a new group and returns the MLID that its members are to be told. `free_mlid` finds one that is
  /// used by no group and not bound, or 0. Errors: as fabric::Router::join(); out_of_memory: no MLID is free.
  using FreeMlid = std::function<Mlid()>;
  base::Result<Mlid> join(const fabric::Mgid& mgid, std::vector<fabric::HostId> members,
                          const FreeMlid& free_mlid);

  /// Takes over a group that has an MLID already. Errors: as fabric::Router::join_in(); out_of_memory: no
  /// colour is left for the MLID.
  base::Status adopt(const fabric::Mgid& mgid, Mlid mlid, std::vector<fabric::HostId> members);

  /// Gives a group that is known other members; nothing happens when they are the same.
  base::Status change(const fabric::Mgid& mgid, std::vector<fabric::HostId> members);

  /// Forgets a group; nothing happens when it is unknown. When it was the last of its MLID, that is free.
  void leave(const fabric::Mgid& mgid);

  /// What switches have to hold for an MLID that is bound.
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
