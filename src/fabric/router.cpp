#include "fabric/router.hpp"

#include <fmt/format.h>

#include <utility>

#include "fabric/announced_groups.hpp"
#include "fabric/batch.hpp"
#include "fabric/placement.hpp"

namespace tutti::fabric {

using base::Code;
using base::Result;
using base::Status;

/// The routing, and the passes over it that keep memory from call to call.
struct Router::State {
  State(Fabric fabric, HopTable hops, const RouterOptions& options)
      : routing(std::move(fabric), std::move(hops), options) {}

  Routing routing;
  UnitPlacement placement{routing};
  AnnouncedGroups announced{routing, placement};
};

namespace {

void append_ports_of(const Routing& routing, TreeId id, std::vector<TablePort>& ports) {
  const Tree& tree = routing.forest().tree(id);
  for (const LinkId link_id : tree.shape.links) {
    const Link& link = routing.fabric().link(link_id);
    ports.push_back({link.a, tree.colour, link.a_port});
    ports.push_back({link.b, tree.colour, link.b_port});
  }
  for (const GroupId group : tree.groups)
    for (const HostId member : routing.groups()[group].members)
      if (const HostNode& host = routing.fabric().host(member);
          host.at != k_none && routing.colours().tree_at(host.at, tree.colour) == id)
        ports.push_back({host.at, tree.colour, host.at_port});
}

}  // namespace

Router::Router(std::unique_ptr<State> state) : state_(std::move(state)) {}
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;
Router::~Router() = default;

Result<Router> Router::create(Fabric fabric, const RouterOptions& options) {
  auto hops = HopTable::compute(fabric, options.threads);
  if (!hops) return hops.status();
  return Router(std::make_unique<State>(std::move(fabric), std::move(hops).value(), options));
}

Result<GroupId> Router::join(std::vector<HostId> members) {
  Routing& routing = state_->routing;
  if (Status status = routing.check_members(members); !status) return status;
  const GroupId id = routing.add_group(std::move(members));
  state_->placement.place(routing.unit_of({id}));
  return id;
}

Status Router::join_all(const GroupSet& groups, const RoutingProgress& progress) {
  Routing& routing = state_->routing;
  if (!routing.groups().empty()) return Status::invalid_argument("join_all() needs a router without groups");
  for (GroupId id = 0; id < groups.size(); ++id)
    if (const Status status = routing.check_members(groups.members(id)); !status)
      return Status::invalid_argument(
          fmt::format("group {}: {}", to_string(groups.mgid(id)), status.message()));
  for (GroupId id = 0; id < groups.size(); ++id)
    routing.add_group({groups.members(id).begin(), groups.members(id).end()});
  if (route_batch(routing, state_->placement, groups, progress)) return {};
  routing.clear();
  state_->placement.reset();
  return Status::not_supported("stopped");
}

Status Router::leave(GroupId group) {
  if (!has(group)) return Status::not_found(fmt::format("there is no group {}", group));
  state_->routing.remove_group(group);
  return {};
}

Result<std::vector<GroupId>> Router::disconnect(SwitchId id) {
  return state_->announced.disconnect(id);
}

Result<GroupId> Router::join_in(Colour colour, std::vector<HostId> members) {
  Routing& routing = state_->routing;
  if (Status status = routing.check_members(members); !status) return status;
  const uint32_t opened = routing.colours().opened();
  if (colour > opened || (colour == opened && routing.colours().is_full()))
    return Status(Code::out_of_memory, fmt::format("colour {} is beyond the limit", colour));
  if (colour == opened) routing.open_colour();
  const GroupId id = routing.add_group(std::move(members));
  state_->announced.place(id, colour);
  return id;
}

Status Router::change_members(GroupId id, std::vector<HostId> members) {
  if (!has(id)) return Status::not_found(fmt::format("there is no group {}", id));
  if (members.empty()) return Status::invalid_argument("a group without members");
  state_->routing.set_members(id, std::move(members));
  state_->announced.update(id);
  return {};
}

Status Router::change_fabric(Fabric fabric) {
  const Routing& old = state_->routing;
  auto hops = HopTable::compute(fabric, old.options().threads);
  if (!hops) return hops.status();
  auto next = std::make_unique<State>(std::move(fabric), std::move(hops).value(), old.options());
  next->announced.move_from(old);
  state_ = std::move(next);
  return {};
}

void Router::append_ports(Colour colour, std::vector<TablePort>& ports) const {
  const Routing& routing = state_->routing;
  for (TreeId id = 0; id < routing.forest().tree_slots(); ++id)
    if (const Tree& tree = routing.forest().tree(id); !tree.groups.empty() && tree.colour == colour)
      append_ports_of(routing, id, ports);
}

MulticastTables Router::tables() const {
  const Routing& routing = state_->routing;
  std::vector<TablePort> ports;
  for (TreeId id = 0; id < routing.forest().tree_slots(); ++id) append_ports_of(routing, id, ports);
  return {routing.fabric().switch_count(), std::move(ports)};
}

bool Router::has(GroupId group) const {
  const auto& groups = state_->routing.groups();
  return group < groups.size() && groups[group].exists;
}

Colour Router::colour(GroupId group) const {
  return state_->routing.colour_of(group);
}

std::span<const HostId> Router::members(GroupId group) const {
  return state_->routing.groups()[group].members;
}

const Fabric& Router::fabric() const {
  return state_->routing.fabric();
}

const Forest& Router::forest() const {
  return state_->routing.forest();
}

const RouterCounts& Router::counts() const {
  return state_->routing.counts();
}

size_t Router::memory_bytes() const {
  return state_->routing.memory_bytes();
}

}  // namespace tutti::fabric
