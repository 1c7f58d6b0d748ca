#include "fabric/router.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/random.hpp"
#include "fabric/router_state.hpp"

namespace tutti::fabric {

using base::Result;
using base::Status;

Router::State::State(Fabric the_fabric, HopTable the_hops, const RouterOptions& the_options)
    : fabric(std::move(the_fabric)),
      hops(std::move(the_hops)),
      options(the_options),
      forest(fabric, the_options.colour_limit == 0 ? k_none : the_options.colour_limit),
      root_search(hops),
      bottom_up(fabric, forest),
      colour_search(fabric, forest),
      dijkstra(fabric, forest),
      graft(fabric, forest) {}

Router::Router(std::unique_ptr<State> state) : state_(std::move(state)) {}
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;
Router::~Router() = default;

Result<Router> Router::create(Fabric fabric, const RouterOptions& options) {
  auto hops = HopTable::compute(fabric, options.threads);
  if (!hops) return hops.status();
  return Router(std::make_unique<State>(std::move(fabric), std::move(hops).value(), options));
}

std::vector<HostId> Router::State::in_order(std::vector<HostId> members) {
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  return members;
}

GroupId Router::State::new_group(std::vector<HostId> members) {
  auto id = static_cast<GroupId>(groups.size());
  if (unused_groups.empty()) {
    groups.emplace_back();
  } else {
    id = unused_groups.back();
    unused_groups.pop_back();
  }
  groups[id] = {in_order(std::move(members)), k_none, true};
  return id;
}

void Router::State::drop_group(GroupId id) {
  groups[id] = {};
  unused_groups.push_back(id);
}

Status Router::State::check_members(std::span<const HostId> members) const {
  if (members.empty()) return Status::invalid_argument("a group without members");
  const SwitchId first = fabric.host(members.front()).at;
  for (const HostId member : members) {
    const HostNode& host = fabric.host(member);
    if (host.at == k_none)
      return Status::invalid_argument(fmt::format("member {:016x} is not cabled to any switch", host.guid));
    if (hops.hops(host.at, first) == k_unreachable)
      return Status::invalid_argument(
          fmt::format("members {:016x} and {:016x} are in parts of the fabric that are not "
                      "connected",
                      fabric.host(members.front()).guid, host.guid));
  }
  return {};
}

std::vector<SwitchId> Router::State::terminals_of(std::span<const GroupId> ids) const {
  std::vector<SwitchId> terminals;
  for (const GroupId id : ids)
    for (const HostId member : groups[id].members)
      if (const SwitchId at = fabric.host(member).at;
          at != k_none && (terminals.empty() || terminals.back() != at))
        terminals.push_back(at);
  std::sort(terminals.begin(), terminals.end());
  terminals.erase(std::unique(terminals.begin(), terminals.end()), terminals.end());
  return terminals;
}

/// In a disconnected fabric a unit belongs to the part of its first member; members elsewhere are cut off.
Unit Router::State::unit_of(std::vector<GroupId> ids) const {
  Unit unit{std::move(ids), {}};
  unit.terminals = terminals_of(unit.groups);
  for (const HostId member : groups[unit.groups.front()].members) {
    const SwitchId anchor = fabric.host(member).at;
    if (anchor == k_none) continue;
    std::erase_if(unit.terminals, [&](SwitchId at) { return hops.hops(at, anchor) == k_unreachable; });
    break;
  }
  return unit;
}

void Router::State::place(const Unit& unit) {
  ++placed;
  if (options.method == Method::paper)
    place_paper(unit);
  else if (!place_guided(unit))
    merge_guided(unit);
}

void Router::State::install_tree(TreeShape planted, Colour colour, std::vector<GroupId> ids) {
  const TreeId tree = forest.plant(std::move(planted), colour, std::move(ids));
  for (const GroupId id : forest.tree(tree).groups) groups[id].tree = tree;
}

void Router::State::sort_by_load(std::vector<SwitchId>& found, size_t most, uint64_t salt) const {
  const auto key = [&](SwitchId id) {
    return uint64_t{forest.switch_load(id)} << 32 | base::mixed(salt ^ id) >> 32;
  };
  std::vector<std::pair<uint64_t, SwitchId>> keyed;
  keyed.reserve(found.size());
  for (const SwitchId id : found) keyed.emplace_back(key(id), id);
  const size_t kept = std::min(most, keyed.size());
  if (kept < keyed.size())
    std::nth_element(keyed.begin(), keyed.begin() + static_cast<long>(kept), keyed.end());
  std::sort(keyed.begin(), keyed.begin() + static_cast<long>(kept));
  found.resize(kept);
  for (size_t i = 0; i < kept; ++i) found[i] = keyed[i].second;
}

Result<GroupId> Router::join(std::vector<HostId> members) {
  if (Status status = state_->check_members(members); !status) return status;
  const GroupId id = state_->new_group(std::move(members));
  state_->place(state_->unit_of({id}));
  return id;
}

Status Router::leave(GroupId group) {
  if (!has(group)) return Status::not_found(fmt::format("there is no group {}", group));
  const TreeId tree = state_->groups[group].tree;
  if (tree != k_none) {
    if (state_->forest.tree(tree).groups.size() == 1) {
      state_->forest.fell(tree);
    } else {
      state_->forest.unshare(tree, group);
      state_->prune(tree);
    }
  }
  state_->drop_group(group);
  return {};
}

bool Router::has(GroupId group) const {
  return group < state_->groups.size() && state_->groups[group].exists;
}

Colour Router::colour(GroupId group) const {
  const TreeId tree = state_->groups[group].tree;
  return tree == k_none ? k_no_colour : state_->forest.tree(tree).colour;
}

std::span<const HostId> Router::members(GroupId group) const {
  return state_->groups[group].members;
}

MulticastTables Router::tables() const {
  std::vector<TablePort> ports;
  for (TreeId id = 0; id < state_->forest.tree_slots(); ++id) state_->append_ports(id, ports);
  return {state_->fabric.switch_count(), std::move(ports)};
}

const Fabric& Router::fabric() const {
  return state_->fabric;
}

const Forest& Router::forest() const {
  return state_->forest;
}

const RouterCounts& Router::counts() const {
  return state_->counts;
}

size_t Router::memory_bytes() const {
  size_t bytes = state_->hops.memory_bytes() + state_->forest.memory_bytes();
  for (const State::Group& group : state_->groups)
    bytes += sizeof group + group.members.capacity() * sizeof(HostId);
  return bytes;
}

}  // namespace tutti::fabric
