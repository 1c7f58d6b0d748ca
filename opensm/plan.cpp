#include "plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tutti::opensm {

using base::Code;
using base::Result;
using base::Status;
using fabric::Colour;
using fabric::HostId;
using fabric::Mgid;
using fabric::Router;

Result<MulticastPlan> MulticastPlan::create(fabric::Fabric fabric, const fabric::RouterOptions& options) {
  auto router = Router::create(std::move(fabric), options);
  if (!router) return router.status();
  return MulticastPlan(std::move(router).value());
}

Status MulticastPlan::change_fabric(fabric::Fabric fabric) {
  return router_.change_fabric(std::move(fabric));
}

Result<Mlid> MulticastPlan::join(const Mgid& mgid, std::vector<HostId> members, const FreeMlid& free_mlid) {
  const auto group = router_.join(std::move(members));
  if (!group) return group.status();
  const Colour colour = router_.colour(*group);
  const auto known = mlid_of_colour_.find(colour);
  const Mlid mlid = known != mlid_of_colour_.end() ? known->second : free_mlid();
  if (mlid == 0 || colour == fabric::k_no_colour) {
    (void)router_.leave(*group);
    return Status(Code::out_of_memory, "no MLID is free");
  }
  mlid_of_colour_[colour] = mlid;
  bindings_[mlid].colour = colour;
  bindings_[mlid].groups.insert(mgid);
  groups_[mgid] = {*group, mlid};
  return mlid;
}

/// A colour without an MLID has no groups, and therefore no trees.
Colour MulticastPlan::unbound_colour() const {
  Colour colour = 0;
  while (mlid_of_colour_.contains(colour)) ++colour;
  return colour;
}

Status MulticastPlan::adopt(const Mgid& mgid, Mlid mlid, std::vector<HostId> members) {
  const Colour colour = owns(mlid) ? bindings_[mlid].colour : unbound_colour();
  const auto group = router_.join_in(colour, std::move(members));
  if (!group) return group.status();
  mlid_of_colour_[colour] = mlid;
  bindings_[mlid].colour = colour;
  bindings_[mlid].groups.insert(mgid);
  groups_[mgid] = {*group, mlid};
  return {};
}

Status MulticastPlan::change(const Mgid& mgid, std::vector<HostId> members) {
  const auto found = groups_.find(mgid);
  if (found == groups_.end()) return Status::not_found("unknown group " + to_string(mgid));
  std::sort(members.begin(), members.end());
  if (std::ranges::equal(members, router_.members(found->second.id))) return {};
  return router_.change_members(found->second.id, std::move(members));
}

void MulticastPlan::leave(const Mgid& mgid) {
  const auto found = groups_.find(mgid);
  if (found == groups_.end()) return;
  const auto [id, mlid] = found->second;
  (void)router_.leave(id);  // fails only for a group that does not exist
  groups_.erase(found);
  Binding& binding = bindings_[mlid];
  binding.groups.erase(mgid);
  if (!binding.groups.empty()) return;
  mlid_of_colour_.erase(binding.colour);
  bindings_.erase(mlid);
}

std::vector<Mgid> MulticastPlan::groups() const {
  std::vector<Mgid> mgids;
  for (const auto& [mgid, group] : groups_) mgids.push_back(mgid);
  return mgids;
}

void MulticastPlan::append_ports(Mlid mlid, std::vector<fabric::TablePort>& ports) const {
  if (const auto found = bindings_.find(mlid); found != bindings_.end())
    router_.append_ports(found->second.colour, ports);
}

}  // namespace tutti::opensm
